/** Cameras at rtmp, rtmps and srt URLs: a worker connects to them, with the protocols of the URL's scheme and no others. */

import { GatewayError } from '../core/errors.ts';
import type { Source } from '../stream/source/source.ts';
import { FfmpegSource, type FfmpegSourceOptions } from './ffmpeg/ffmpeg-source.ts';
import { PULL_ERRORS } from './http/errors.ts';

/** The protocols of ffmpeg that a scheme needs, itself first. */
const PROTOCOLS_BY_SCHEME: Readonly<Record<string, readonly string[]>> = {
  'rtmp:': ['rtmp', 'tcp'],
  'rtmps:': ['rtmps', 'rtmp', 'tls', 'tcp'],
  'srt:': ['srt'],
};

export function isWorkerUrl(protocol: string): boolean {
  return protocol in PROTOCOLS_BY_SCHEME;
}

/** `url`: of one of these schemes. An instance ends with PULL_PROTOCOL_UNAVAILABLE if this ffmpeg lacks the protocol. */
export function urlWorkerSource(
  url: Extract<FfmpegSourceOptions['input'], { kind: 'url' }>['url'],
  options: Omit<FfmpegSourceOptions, 'input'>,
): Source {
  const protocols = PROTOCOLS_BY_SCHEME[url.protocol] ?? [];
  const [own = ''] = protocols;
  if (!options.binary.protocols.has(own)) {
    const context = { protocol: own, ffmpeg: options.binary.version };
    return endingSource('ffmpeg', new GatewayError(PULL_ERRORS.PULL_PROTOCOL_UNAVAILABLE, context));
  }
  return new FfmpegSource({ ...options, input: { kind: 'url', url, protocols } });
}

/** A source whose instances end immediately, with the same reason. */
export function endingSource(engine: string, error: GatewayError): Source {
  return {
    engine,
    open: (sink) => {
      queueMicrotask(() => sink.onEnded(error));
      return { close: async () => sink.close() };
    },
  };
}
