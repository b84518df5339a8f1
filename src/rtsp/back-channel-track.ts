/**
 * The track that leads to a camera's speaker. ONVIF Streaming Specification §5.3: `sendonly`, from the client's point of view, in the
 * response to a DESCRIBE that requires the back channel.
 */

import type { MediaFormat, SessionDescription } from './sdp/session-description.ts';

/** Field of DESCRIBE, SETUP, and PLAY. */
export const REQUIRE_BACK_CHANNEL = ['Require', 'www.onvif.org/ver20/backchannel'] as const;

/** What the gateway can send. */
export type BackChannelLaw = 'mu-law' | 'a-law';

export interface BackChannelTrack {
  readonly law: BackChannelLaw;
  readonly payloadType: number;
  /** `a=control` as written. */
  readonly control: string | null;
}

const G711_RATE_HZ = 8_000;

/** null: there is none, or only with formats that the gateway cannot encode. */
export function backChannelTrack({ media }: SessionDescription): BackChannelTrack | null {
  for (const { kind, direction, formats, control, protocol } of media) {
    if (kind !== 'audio' || direction !== 'sendonly' || !protocol.startsWith('RTP/AVP')) continue;
    for (const format of formats) {
      const law = lawOf(format);
      if (law !== null) return { law, payloadType: format.payloadType, control };
    }
  }
  return null;
}

function lawOf({ encoding, clockRateHz, channelCount }: MediaFormat): BackChannelLaw | null {
  if (clockRateHz !== G711_RATE_HZ || channelCount !== 1) return null;
  if (encoding === 'pcmu') return 'mu-law';
  return encoding === 'pcma' ? 'a-law' : null;
}
