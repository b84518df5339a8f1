/**
 * SDP (RFC 8866) as cameras write it: only what RTSP needs (RFC 2326 appendix C). Unknown lines are skipped, mandatory
 * ones may be missing; only text without a single SDP line is rejected.
 */

import { GatewayError } from '../../core/errors.ts';
import { type ConnectionAddress, includedSource, multicastConnection } from './connection-address.ts';
import { SDP_ERRORS } from './errors.ts';
import { addFormatParameters } from './format-parameters.ts';
import { staticPayloadType } from './static-payload-types.ts';

export const MAX_SDP_BYTES = 64 * 1024;
export const MAX_SDP_LINES = 1_000;
export const MAX_SDP_MEDIA = 32;
/** Limits within one media description. */
export const MAX_SDP_FORMATS = 32;

/** One payload type of a media description. */
export interface MediaFormat {
  readonly payloadType: number;
  /** Lower case; '' if the camera does not say and it cannot be inferred. */
  readonly encoding: string;
  readonly clockRateHz: number;
  readonly channelCount: number;
  /** Names in lower case. */
  readonly fmtp: ReadonlyMap<string, string>;
  /** Size of pictures whose packets cannot state it: JPEGs of more than 2,040 pixels. Absent: not described. */
  readonly frameSize?: FrameSize | undefined;
}

export interface FrameSize {
  readonly widthPx: number;
  readonly heightPx: number;
}

export interface MediaDescription {
  /** `video`, `audio`, `application`… in lower case. */
  readonly kind: string;
  /** `RTP/AVP` and similar, in upper case. */
  readonly protocol: string;
  /** In the camera's order of preference. */
  readonly formats: readonly MediaFormat[];
  /** `a=control` as written; null if absent. */
  readonly control: string | null;
  readonly direction: MediaDirection;
  /** As announced; 0 if RTSP is to agree on one. */
  readonly port: number;
  /** The multicast group that media is sent to; null for unicast. */
  readonly group: ConnectionAddress | null;
  /** The only source of that group (RFC 4570); null if the camera does not say. */
  readonly groupSource: string | null;
}

/** RFC 8866 §6.7, from the camera's point of view or, in ONVIF's reading, from the client's. */
export type MediaDirection = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

export interface SessionDescription {
  /** `s=`; null if absent or blank. */
  readonly name: string | null;
  /** Session-level `a=control` as written; null if absent. */
  readonly control: string | null;
  readonly media: readonly MediaDescription[];
}

interface MediaDraft {
  readonly kind: string;
  readonly protocol: string;
  readonly payloadTypes: readonly number[];
  readonly rtpmaps: Map<number, string>;
  readonly fmtps: Map<number, Map<string, string>>;
  readonly port: number;
  control: string | null;
  direction: MediaDirection;
  group: ConnectionAddress | null;
  groupSource: string | null;
  frameSize: FrameSize | undefined;
}

const MAX_PORT = 65_535;
/** The largest size that a JPEG can state. */
const MAX_FRAME_PX = 65_535;
const VIDEO_CLOCK_RATE_HZ = 90_000;
const AUDIO_CLOCK_RATE_HZ = 8_000;
const DIRECTIONS: ReadonlySet<string> = new Set(['sendrecv', 'sendonly', 'recvonly', 'inactive']);

/** Reads a DESCRIBE body (borrowed until return). Fails with SDP_INVALID or SDP_TOO_LARGE. */
export function parseSessionDescription(body: Uint8Array): SessionDescription {
  let name: string | null = null;
  let sessionControl: string | null = null;
  let sessionGroup: ConnectionAddress | null = null;
  let sessionGroupSource: string | null = null;
  const drafts: MediaDraft[] = [];
  let hasAnyLine = false;
  for (const line of linesOf(body)) {
    if (!/^[a-z]\s*=/i.test(line)) continue;
    hasAnyLine = true;
    const value = line.slice(line.indexOf('=') + 1).trim();
    const draft = drafts.at(-1);
    switch (line[0]!.toLowerCase()) {
      case 's':
        if (draft === undefined && value !== '') name = value;
        break;
      case 'm':
        if (drafts.length >= MAX_SDP_MEDIA) failLimit('media', MAX_SDP_MEDIA);
        drafts.push(draftMedia(value, sessionGroup, sessionGroupSource));
        break;
      case 'c':
        // A section's own address takes precedence, even if it is not a group.
        if (draft === undefined) sessionGroup = multicastConnection(value);
        else draft.group = multicastConnection(value);
        break;
      case 'a':
        if (draft !== undefined) readMediaAttribute(drafts, draft, value);
        else {
          sessionControl ??= controlOf(value);
          sessionGroupSource ??= sourceFilterOf(value);
        }
        break;
    }
  }
  if (!hasAnyLine) throw new GatewayError(SDP_ERRORS.SDP_INVALID, { bytes: body.length });
  return { name, control: sessionControl, media: drafts.map(finishMedia) };
}

/** Ends at the first NUL: firmwares send their whole string buffer, including remains of earlier responses. */
function linesOf(body: Uint8Array): string[] {
  const nul = body.indexOf(0);
  const text = body.subarray(0, nul < 0 ? body.length : nul);
  if (text.length > MAX_SDP_BYTES) failLimit('bytes', MAX_SDP_BYTES);
  const lines = new TextDecoder().decode(text).split(/[\r\n]+/);
  if (lines.length > MAX_SDP_LINES) failLimit('lines', MAX_SDP_LINES);
  return lines.map((line) => line.trim());
}

/** `video 0 RTP/AVP 96 97` (RFC 8866 §5.14); missing items read as empty. */
function draftMedia(value: string, group: ConnectionAddress | null, groupSource: string | null): MediaDraft {
  const [kind = '', port = '', protocol = '', ...formats] = value.split(/\s+/);
  if (formats.length > MAX_SDP_FORMATS) failLimit('formats', MAX_SDP_FORMATS);
  return {
    kind: kind.toLowerCase(),
    protocol: protocol.toUpperCase(),
    payloadTypes: formats.filter((text) => /^\d{1,3}$/.test(text) && Number(text) < 128).map(Number),
    rtpmaps: new Map(),
    fmtps: new Map(),
    control: null,
    direction: 'sendrecv',
    port: portOf(port),
    group,
    groupSource,
    frameSize: undefined,
  };
}

/** `draft`: the last of `drafts`; the attribute is in its section. */
function readMediaAttribute(drafts: readonly MediaDraft[], draft: MediaDraft, attribute: string): void {
  draft.control ??= controlOf(attribute);
  draft.groupSource = sourceFilterOf(attribute) ?? draft.groupSource;
  draft.frameSize ??= frameSizeOf(attribute);
  const name = attribute.split(':', 1)[0]!.trim().toLowerCase();
  if (DIRECTIONS.has(name)) draft.direction = name as MediaDirection;
  if (name !== 'rtpmap' && name !== 'fmtp') return;
  // Some firmwares write `fmtp:96;packetization-mode=1`.
  const parts = /^[^:]*:\s*(\d{1,3})[\s;]+(.*)$/.exec(attribute);
  const payloadType = Number(parts?.[1]);
  if (parts === null) return;
  if (name === 'rtpmap') {
    const isOwn = draft.payloadTypes.includes(payloadType);
    if (isOwn && !draft.rtpmaps.has(payloadType)) draft.rtpmaps.set(payloadType, parts[2]!);
    return;
  }
  const owner = formatOwner(drafts, draft, payloadType);
  if (owner === null) return;
  const parameters = owner.fmtps.get(payloadType) ?? new Map<string, string>();
  owner.fmtps.set(payloadType, parameters);
  addFormatParameters(parameters, parts[2]!);
}

/**
 * Which format `a=fmtp` describes: one in its own section, otherwise in the only earlier section with that payload
 * type. Firmwares put the parameters of the video after everything else (go2rtc TestBugSDP2).
 */
function formatOwner(
  drafts: readonly MediaDraft[],
  draft: MediaDraft,
  payloadType: number,
): MediaDraft | null {
  if (draft.payloadTypes.includes(payloadType)) return draft;
  const [owner = null, ...others] = drafts.filter(({ payloadTypes }) => payloadTypes.includes(payloadType));
  return others.length === 0 ? owner : null;
}

function controlOf(attribute: string): string | null {
  const value = /^control\s*:(.*)$/i.exec(attribute)?.[1]?.trim();
  return value === undefined || value === '' ? null : value;
}

function sourceFilterOf(attribute: string): string | null {
  const value = /^source-filter\s*:(.*)$/i.exec(attribute)?.[1];
  return value === undefined ? null : includedSource(value);
}

/** `x-dimensions:2592,1944` (GStreamer), or `framesize:26 2592-1944` (RFC 6064 §4.2.1). */
function frameSizeOf(attribute: string): FrameSize | undefined {
  const [, width, height] =
    /^(?:x-dimensions\s*:|framesize\s*:\s*\d{1,3}\s)\s*(\d{1,5})\s*[-,]\s*(\d{1,5})\s*$/i.exec(attribute) ??
    [];
  const size = { widthPx: Number(width ?? 0), heightPx: Number(height ?? 0) };
  const isPossible = (px: number): boolean => px > 0 && px <= MAX_FRAME_PX;
  return isPossible(size.widthPx) && isPossible(size.heightPx) ? size : undefined;
}

/** Port of `5000` or `5000/2`; 0 if the text has no port. */
function portOf(text: string): number {
  const digits = /^(\d{1,5})(?:\/\d+)?$/.exec(text)?.[1];
  const port = Number(digits ?? 0);
  return port <= MAX_PORT ? port : 0;
}

function finishMedia(draft: MediaDraft): MediaDescription {
  return {
    kind: draft.kind,
    protocol: draft.protocol,
    formats: draft.payloadTypes.map((payloadType) => finishFormat(draft, payloadType)),
    control: draft.control,
    direction: draft.direction,
    port: draft.port,
    group: draft.group,
    groupSource: draft.groupSource,
  };
}

/** `H264/90000`, `MPEG4-GENERIC/16000/2` (RFC 8866 §6.6), or what a static payload type stands for. */
function finishFormat(draft: MediaDraft, payloadType: number): MediaFormat {
  const fmtp = draft.fmtps.get(payloadType) ?? new Map<string, string>();
  const [encodingText = '', clockText = '', channelText = ''] = (draft.rtpmaps.get(payloadType) ?? '').split(
    '/',
  );
  const assigned = staticPayloadType(payloadType);
  const encoding = encodingText.trim().toLowerCase() || assigned?.encoding || guessEncoding(draft.kind, fmtp);
  const usualClockHz = draft.kind === 'audio' ? AUDIO_CLOCK_RATE_HZ : VIDEO_CLOCK_RATE_HZ;
  return {
    payloadType,
    encoding,
    clockRateHz: positiveInteger(clockText) ?? assigned?.clockRateHz ?? usualClockHz,
    channelCount: positiveInteger(channelText) ?? assigned?.channelCount ?? 1,
    fmtp,
    ...(draft.frameSize === undefined ? {} : { frameSize: draft.frameSize }),
  };
}

/** A dynamic payload type without an rtpmap: the parameters identify H.264 and H.265. */
function guessEncoding(kind: string, fmtp: ReadonlyMap<string, string>): string {
  if (kind !== 'video') return '';
  if (fmtp.has('sprop-vps')) return 'h265';
  return fmtp.has('sprop-parameter-sets') || fmtp.has('packetization-mode') ? 'h264' : '';
}

function positiveInteger(text: string): number | null {
  const digits = /^\s*(\d{1,9})/.exec(text)?.[1];
  return digits === undefined || Number(digits) === 0 ? null : Number(digits);
}

function failLimit(limit: string, value: number): never {
  throw new GatewayError(SDP_ERRORS.SDP_TOO_LARGE, { limit, value });
}
