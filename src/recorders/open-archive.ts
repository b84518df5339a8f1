/** The archive of a camera's video recorder, by the kind of recorder. */

import type { Clock } from '../core/clock.ts';
import { OnvifClient } from '../devices/onvif/onvif-client.ts';
import { onvifServiceOf } from '../onvif/onvif-service.ts';
import type { SoundPaths } from '../sources/sound/sound-path.ts';
import { DahuaArchive } from './dahua-archive.ts';
import { HikvisionArchive } from './hikvision-archive.ts';
import { OnvifArchive } from './onvif-archive.ts';
import type { RecorderArchive } from './recorder-archive.ts';
import { RecorderHttp } from './recorder-http.ts';
import type { RecordedChannel } from './recorder-settings.ts';
import { ReplaySession } from './replay-session.ts';
import { type ProbeTime, RtspArchive } from './rtsp-archive.ts';

export interface OpenArchiveOptions {
  readonly clock: Clock;
  readonly sound: SoundPaths;
}

export function openArchive(
  channel: RecordedChannel,
  { clock, sound }: OpenArchiveOptions,
): RecorderArchive & { close(): void } {
  const { kind } = channel.recorder;
  if (kind === 'onvif') {
    const { service, login } = onvifServiceOf(channel.httpUrl);
    const { addressRule, tls } = channel;
    return closing(
      new OnvifArchive(channel, new OnvifClient(service, { clock, login, addressRule, tls }), clock),
    );
  }
  if (kind === 'rtsp') {
    return closing(new RtspArchive(channel, probeWith(channel, clock, sound), () => clock.epochMs()));
  }
  const http = new RecorderHttp(channel, clock);
  const archive =
    kind === 'hikvision'
      ? new HikvisionArchive(channel, http, clock)
      : new DahuaArchive(channel, http, clock);
  return closing(archive, () => http.close());
}

function closing(archive: RecorderArchive, close: () => void = () => undefined) {
  return {
    list: (fromMs: number, toMs: number, signal: AbortSignal) => archive.list(fromMs, toMs, signal),
    replay: (fromMs: number, toMs: number, signal: AbortSignal) => archive.replay(fromMs, toMs, signal),
    close,
  };
}

/** Plays until the first key frame. A recorder that does not say what it plays is believed. */
function probeWith(channel: RecordedChannel, clock: Clock, sound: SoundPaths): ProbeTime {
  return async (request, atMs, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    const session = new ReplaySession({
      channel,
      request,
      fromMs: atMs,
      clock,
      sound,
      events: {
        onTracks: () => undefined,
        onUnit: ({ arrivalMonoMs, isKey }) => {
          if (isKey) resolve(arrivalMonoMs);
        },
        onEnded: (error) => (error === null ? resolve(null) : reject(error)),
      },
    });
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      await session.close();
    }
  };
}
