/** Manifests with only the parts that a player wants, as texts that all such players share. */

import { scriptManifest } from '../../dash/script-manifest.ts';
import type { PlaylistText } from '../../stream/media/live-media.ts';
import { RenderedPlaylist } from '../../stream/media/rendered-playlist.ts';
import { withoutHigher } from '../response/requested-height.ts';
import type { VariantQuery } from '../response/requested-video.ts';

/** As src/dash/manifest.ts writes it. */
const VIDEO_SET = /<AdaptationSet [^>]*contentType="video"[^>]*>.*?<\/AdaptationSet>\n/gs;
const PERIOD = /<Period .*?<\/Period>\n/gs;
const EMPTY_SET = /<AdaptationSet [^>]*>\n<\/AdaptationSet>\n/g;
const REPRESENTATION = /<Representation [^>]*? height="(\d+)".*?<\/Representation>\n/gs;
const H264 = / codecs="avc[13]\./;

export class ManifestQueries {
  /** Texts by whole manifest, until the manifest changes. */
  readonly #known = new WeakMap<PlaylistText, Map<string, PlaylistText>>();

  /**
   * The manifest without representations of video that are higher, or not in the codec; in a Period where all are
   * higher, with the lowest. null: it has nothing in the codec.
   */
  of(manifest: PlaylistText, { maxHeightPx, video }: VariantQuery): PlaylistText | null {
    let { text } = manifest;
    if (video === 'h264') {
      if (!H264.test(text)) return null;
      text = text.replaceAll(VIDEO_SET, (set) => (H264.test(set) ? set : ''));
    }
    if (maxHeightPx !== null) {
      text = text.replaceAll(PERIOD, (period) =>
        withoutHigher(period, REPRESENTATION, maxHeightPx).replaceAll(EMPTY_SET, ''),
      );
    }
    return text === manifest.text ? manifest : this.#same(manifest, text);
  }

  /** The same for scripts (src/dash/script-manifest.ts). */
  forScripts(manifest: PlaylistText): PlaylistText {
    return this.#same(manifest, scriptManifest(manifest.text));
  }

  /** One object for equal texts, so that it is compressed once. */
  #same(manifest: PlaylistText, text: string): PlaylistText {
    const texts = this.#known.get(manifest) ?? new Map<string, PlaylistText>();
    this.#known.set(manifest, texts);
    const same = texts.get(text) ?? new RenderedPlaylist(text);
    texts.set(text, same);
    return same;
  }
}
