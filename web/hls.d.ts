/** Types of `./hls.js`, the name under which the asset server hands out hls.js's light module build. */

export type {
  ElementaryStreams,
  FragLoadedData,
  Fragment,
  FragmentLoaderContext,
  HlsConfig,
  Loader,
  LoaderCallbacks,
  LoaderConfiguration,
  LoaderContext,
} from 'hls.js';
export { default } from 'hls.js';
