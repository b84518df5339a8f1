/** Workers that make H.264 of recordings, and of files. */

import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { ENCODED_VIDEO, encodedSize } from '../../ffmpeg/command.ts';
import { FileEncoder } from '../../ffmpeg/file-encoder.ts';
import { SegmentEncoder } from '../../ffmpeg/segment-encoder.ts';
import type { EncodeFile } from '../../front-door/past/encoded-files.ts';
import type { PictureEncoder } from '../../playback/recoded-past.ts';
import { OpusEncoder } from '../../sources/sound/opus-encoder.ts';
import { ENCODED_CODEC } from '../../sources/transcode/transcoded-properties.ts';
import type { SoundEncoder } from '../../stream/sounds/sound-feed.ts';
import type { Decoders } from './decoders.ts';

/** null: no worker is allowed. */
export function pastEncoder(
  { workers, ffmpeg }: Pick<Decoders, 'workers' | 'ffmpeg'>,
  organizationOf: (cameraUuid: Ruuid) => string | null,
  clock: Clock,
): PictureEncoder | null {
  if (!workers.isAllowed) return null;
  const encoder = new SegmentEncoder({ pool: workers, binary: ffmpeg, clock });
  return {
    encode: (fmp4, { cameraUuid, masks, isAwaited, ending }) =>
      encoder.encode({
        fmp4,
        masks: masks.map(({ points }) => points),
        ending,
        camera: { uuid: cameraUuid, orgUuid: (organizationOf(cameraUuid) ?? cameraUuid) as Ruuid },
        urgency: () => (isAwaited() ? 'viewer' : 'picture'),
      }),
    propertiesOf: ({ widthPx, heightPx }) => ({
      codecString: ENCODED_CODEC,
      ...encodedSize(widthPx, heightPx),
      peakBitsPerSec: ENCODED_VIDEO.maxBitsPerSec,
    }),
  };
}

/** null: no worker is allowed. */
export function fileEncoder(
  { workers, ffmpeg }: Pick<Decoders, 'workers' | 'ffmpeg'>,
  clock: Clock,
): EncodeFile | null {
  if (!workers.isAllowed) return null;
  const encoder = new FileEncoder({ pool: workers, binary: ffmpeg, clock });
  return ({ source, masks, cameraUuid, orgUuid, durationMs, hasAudio }, ending) =>
    encoder.encode(
      {
        source: source.read(0, source.byteLength),
        durationMs,
        hasAudio,
        masks: (masks ?? []).map(({ points }) => points),
        camera: { uuid: cameraUuid, orgUuid },
      },
      ending,
    );
}

/** Encodes recorded sound as Opus. */
export function pastSoundEncoder(
  { workers, ffmpeg, soundServers }: Pick<Decoders, 'workers' | 'ffmpeg' | 'soundServers'>,
  organizationOf: (cameraUuid: Ruuid) => string | null,
  clock: Clock,
  log: Log,
): (cameraUuid: Ruuid) => SoundEncoder {
  return (cameraUuid) => {
    const organization = organizationOf(cameraUuid) ?? cameraUuid;
    const camera = { uuid: cameraUuid, orgUuid: organization as Ruuid };
    const made = { pool: workers, binary: ffmpeg, clock, log, camera };
    return new OpusEncoder({ servers: soundServers, organization, ...made });
  };
}
