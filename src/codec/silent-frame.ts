/** A frame of digital silence in a track's codec, to fill gaps in a camera's audio. */

import { silentAacFrame } from './aac/silent-frame.ts';
import { silentFlacFrame } from './flac/silent-frame.ts';
import { silentOpusPacket } from './opus/opus-packet.ts';
import type { AudioTrack } from './track.ts';

/** As long as `samplesPerFrame` of the track says; null if none can be made. */
export function silentFrame(track: AudioTrack): Uint8Array | null {
  switch (track.codec) {
    case 'aac':
      return silentAacFrame(track.audioSpecificConfig);
    case 'flac':
      return silentFlacFrame(track.streamInfo);
    case 'opus':
      return silentOpusPacket(track.samplesPerFrame, track.channelCount);
  }
}
