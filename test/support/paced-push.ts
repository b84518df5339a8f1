/** Sends messages through a publisher when their timestamps say, as a device does. */

import type { FlvTagBytes } from './flv-file.ts';
import type { RtmpPublisher } from './rtmp-publisher.ts';

const PACE_MS = 10;

/** `tags` in the order of their timestamps. Ends with them, or with the connection. */
export function pushInRealTime(publisher: RtmpPublisher, tags: readonly FlvTagBytes[]): void {
  const startMs = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const atMs = performance.now() - startMs;
    while (sent < tags.length && tags[sent]!.timestampMs <= atMs) {
      const { kind, timestampMs, payload } = tags[sent]!;
      publisher[kind](timestampMs, payload);
      sent += 1;
    }
    if (sent === tags.length || publisher.isClosed) clearInterval(timer);
  }, PACE_MS);
}
