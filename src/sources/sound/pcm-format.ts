/** Which session descriptions name samples, or codes of one sample each, that FLAC carries without a loss. RFC 3551 §4.5. */

import { g711Decoder } from '../../codec/pcm/g711.ts';
import { g726Decoder } from '../../codec/pcm/g726.ts';
import type { G726CodeBits } from '../../codec/pcm/g726-state.ts';
import { l8Decoder, l16Decoder } from '../../codec/pcm/linear.ts';
import type { PcmDecoder } from '../../codec/pcm/pcm-decoder.ts';
import type { MediaFormat } from '../../rtsp/sdp/session-description.ts';

export interface PcmFormat {
  readonly sampleRateHz: number;
  readonly channelCount: 1 | 2;
  /** Codes that can be made of the samples again; default: others. */
  readonly madeOf?: 'pcmu' | 'pcma';
  readonly openDecoder: () => PcmDecoder;
}

const MIN_SAMPLE_RATE_HZ = 8_000;
const MAX_SAMPLE_RATE_HZ = 48_000;
const G726_NAME = /^(aal2-)?g726-(16|24|32|40)$/;
const KBITS_PER_CODE_BIT = 8;

/** null for anything else, and for rates and channels that browsers do not all play. */
export function pcmFormatOf({ encoding, clockRateHz, channelCount }: MediaFormat): PcmFormat | null {
  if (clockRateHz < MIN_SAMPLE_RATE_HZ || clockRateHz > MAX_SAMPLE_RATE_HZ) return null;
  if (channelCount !== 1 && channelCount !== 2) return null;
  const fields = { sampleRateHz: clockRateHz, channelCount } as const;
  switch (encoding) {
    case 'pcmu':
      return { ...fields, madeOf: encoding, openDecoder: () => g711Decoder('mu-law') };
    case 'pcma':
      return { ...fields, madeOf: encoding, openDecoder: () => g711Decoder('a-law') };
    case 'l16':
      return { ...fields, openDecoder: () => l16Decoder('big-endian') };
    case 'pcm':
      // Hikvision's name for L16, with its bytes the other way around (go2rtc TestHikvisionPCM).
      return { ...fields, openDecoder: () => l16Decoder('little-endian') };
    case 'l8':
      return { ...fields, openDecoder: l8Decoder };
  }
  const g726 = G726_NAME.exec(encoding);
  if (g726 === null) return null;
  const codeBits = (Number(g726[2]) / KBITS_PER_CODE_BIT) as G726CodeBits;
  const packing = g726[1] === undefined ? 'little-endian' : 'big-endian';
  // RFC 3551 §4.5.4: one channel, whatever the rtpmap says.
  return { ...fields, channelCount: 1, openDecoder: () => g726Decoder(codeBits, packing) };
}
