/** Writes the session description of a presentation that RTSP serves. RFC 8866; RFC 2326 appendix C. */

/** One track. */
export interface WrittenMedia {
  readonly kind: 'video' | 'audio';
  readonly payloadType: number;
  /** As in an rtpmap: `H264`. */
  readonly encoding: string;
  readonly clockRateHz: number;
  /** 1 for video. */
  readonly channelCount: number;
  /** Format parameters without the payload type; null: none. */
  readonly parameters: string | null;
  /** `a=control`, relative to the base. */
  readonly control: string;
}

export interface WrittenDescription {
  /** `s=`. Line breaks become spaces. */
  readonly name: string;
  /** `a=range`: `npt=now-`, or times of the past. */
  readonly range: string;
  readonly media: readonly WrittenMedia[];
}

const LINE_BREAKS = /[\r\n\0]+/g;

export function writeSessionDescription({ name, range, media }: WrittenDescription): string {
  const lines = [
    'v=0',
    'o=- 1 1 IN IP4 0.0.0.0',
    `s=${name.replaceAll(LINE_BREAKS, ' ').trim() || '-'}`,
    'c=IN IP4 0.0.0.0',
    't=0 0',
    'a=control:*',
    `a=range:${range}`,
  ];
  for (const { kind, payloadType, encoding, clockRateHz, channelCount, parameters, control } of media) {
    const channels = channelCount > 1 ? `/${channelCount}` : '';
    lines.push(
      `m=${kind} 0 RTP/AVP ${payloadType}`,
      `a=rtpmap:${payloadType} ${encoding}/${clockRateHz}${channels}`,
    );
    if (parameters !== null) lines.push(`a=fmtp:${payloadType} ${parameters}`);
    lines.push(`a=control:${control}`);
  }
  return `${lines.join('\r\n')}\r\n`;
}
