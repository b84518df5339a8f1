/**
 * Headers of the frames on a link: JSON, checked field by field. The whole frame, all lengths big-endian:
 *
 *     u32 header bytes · header (UTF-8 JSON) · attachments, one after the other, of the sizes that the header lists
 *
 * A header of zero bytes is a heartbeat. A record has no header; RECORD marks the first length:
 *
 *     u32 RECORD + record bytes · u32 media bytes · record · media
 */

import { type ErrorKind, GatewayError } from '../../core/errors.ts';
import type { WireError } from '../../core/wire-error.ts';
import { LINK_ERRORS } from './errors.ts';

export const PREFIX_BYTES = 4;
/** In the prefix of a record. */
export const RECORD = 0x8000_0000;
/** Sluice's own number: nodes with different ones do not talk. */
export const LINK_VERSION = 1;

export interface FrameLimits {
  readonly headerBytes: number;
  readonly attachments: number;
  readonly recordBytes: number;
  /** All of it together. */
  readonly frameBytes: number;
}

export const FRAME_LIMITS: FrameLimits = {
  headerBytes: 1_024 * 1_024,
  attachments: 4_096,
  recordBytes: 1_024 * 1_024,
  frameBytes: 64 * 1_024 * 1_024,
};

/** Until the peer has said who it is, it can send nothing large. */
export const GREETING_LIMITS: FrameLimits = {
  headerBytes: 4_096,
  attachments: 0,
  recordBytes: 0,
  frameBytes: 8_192,
};

export const MAX_KIND_CHARS = 100;
const MAX_NAME_CHARS = 200;

/** A node's first message: its description of itself. */
export interface Greeting {
  readonly version: number;
  readonly cluster: string;
  readonly nodeId: string;
  readonly runId: string;
}

export type FrameHeader =
  | ({ readonly type: 'greeting'; readonly expected: ExpectedNode | null } & Greeting)
  | { readonly type: 'message'; readonly kind: string; readonly body: unknown }
  | { readonly type: 'request'; readonly id: number; readonly kind: string; readonly body: unknown }
  | { readonly type: 'response'; readonly id: number; readonly body: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly error: WireError }
  /** The sender closes the link, and says why. */
  | { readonly type: 'end'; readonly error: WireError };

export interface ExpectedNode {
  readonly nodeId: string;
  readonly runId: string;
}

export interface Frame {
  readonly header: FrameHeader;
  /** The receiver's own: no later frame changes them. */
  readonly bytes: readonly Uint8Array[];
}

const ERROR_KINDS: Readonly<Record<ErrorKind, true>> = {
  'invalid-input': true,
  unauthenticated: true,
  'not-allowed': true,
  'not-found': true,
  conflict: true,
  'rate-limited': true,
  unavailable: true,
  'peer-protocol': true,
  'peer-refused': true,
  timeout: true,
  limit: true,
  internal: true,
};

/**
 * Prefix and header of a frame with these attachments. Fails LINK_FRAME_LIMIT: then the message is too large, and nothing
 * was sent.
 */
export function encodeHead(header: FrameHeader, bytes: readonly Uint8Array[]): Buffer {
  checkLimit('attachments', bytes.length, FRAME_LIMITS.attachments);
  let attachedBytes = 0;
  for (const attachment of bytes) attachedBytes += attachment.byteLength;
  const sizes = bytes.length === 0 ? undefined : bytes.map(({ byteLength }) => byteLength);
  const text = JSON.stringify({ ...header, sizes });
  const headerBytes = Buffer.byteLength(text);
  checkLimit('header bytes', headerBytes, FRAME_LIMITS.headerBytes);
  checkLimit('frame bytes', PREFIX_BYTES + headerBytes + attachedBytes, FRAME_LIMITS.frameBytes);
  const head = Buffer.allocUnsafe(PREFIX_BYTES + headerBytes);
  head.writeUInt32BE(headerBytes, 0);
  head.write(text, PREFIX_BYTES);
  return head;
}

/** A record's frame up to its media. Fails LINK_FRAME_LIMIT, like `encodeHead`. */
export function encodeRecord(record: Uint8Array, mediaBytes: number): Buffer {
  checkRecord(record.length, mediaBytes, FRAME_LIMITS);
  const head = Buffer.allocUnsafe(2 * PREFIX_BYTES + record.length);
  head.writeUInt32BE(RECORD + record.length, 0);
  head.writeUInt32BE(mediaBytes, PREFIX_BYTES);
  head.set(record, 2 * PREFIX_BYTES);
  return head;
}

export function checkRecord(recordBytes: number, mediaBytes: number, limits: FrameLimits): void {
  checkLimit('record bytes', recordBytes, limits.recordBytes);
  checkLimit('frame bytes', 2 * PREFIX_BYTES + recordBytes + mediaBytes, limits.frameBytes);
}

export function checkLimit(what: string, value: number, limit: number): void {
  if (value > limit) throw new GatewayError(LINK_ERRORS.LINK_FRAME_LIMIT, { what, value, limit });
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Header and sizes of the attachments. Fails LINK_FRAME_MALFORMED with the reason. */
export function parseHeader(bytes: Uint8Array): {
  readonly header: FrameHeader;
  readonly sizes: readonly number[];
} {
  const fields = parseObject(bytes);
  return { header: headerOf(fields), sizes: sizesOf(fields.sizes) };
}

export function malformed(what: string): GatewayError {
  return new GatewayError(LINK_ERRORS.LINK_FRAME_MALFORMED, { what });
}

type Fields = Readonly<Record<string, unknown>>;

function parseObject(bytes: Uint8Array): Fields {
  let value: unknown;
  try {
    value = JSON.parse(UTF8.decode(bytes));
  } catch (error) {
    const what = error instanceof SyntaxError ? 'the header is not JSON' : 'the header is not UTF-8';
    throw malformed(what);
  }
  if (!isObject(value)) throw malformed('the header is not an object');
  return value;
}

function headerOf(fields: Fields): FrameHeader {
  const body = fields.body ?? null;
  switch (fields.type) {
    case 'message':
      return { type: 'message', kind: kindOf(fields), body };
    case 'request':
      return { type: 'request', id: idOf(fields), kind: kindOf(fields), body };
    case 'response':
      return { type: 'response', id: idOf(fields), body };
    case 'failure':
      return { type: 'failure', id: idOf(fields), error: errorOf(fields.error) };
    case 'end':
      return { type: 'end', error: errorOf(fields.error) };
    case 'greeting':
      return greetingOf(fields);
    default:
      throw malformed('the header has no known type');
  }
}

function greetingOf(fields: Fields): FrameHeader {
  const { version, expected } = fields;
  if (!isCount(version)) throw malformed('version is not a number');
  return {
    type: 'greeting',
    version,
    cluster: nameOf(fields, 'cluster'),
    nodeId: nameOf(fields, 'nodeId'),
    runId: nameOf(fields, 'runId'),
    expected: isObject(expected)
      ? { nodeId: nameOf(expected, 'nodeId'), runId: nameOf(expected, 'runId') }
      : null,
  };
}

function sizesOf(sizes: unknown): readonly number[] {
  if (sizes === undefined) return [];
  if (!Array.isArray(sizes) || !sizes.every(isCount)) throw malformed('sizes is not a list of sizes');
  return sizes;
}

function kindOf(fields: Fields): string {
  const { kind } = fields;
  if (typeof kind !== 'string' || kind === '' || kind.length > MAX_KIND_CHARS) {
    throw malformed(`kind is not a text of 1 to ${MAX_KIND_CHARS} characters`);
  }
  return kind;
}

function idOf(fields: Fields): number {
  if (!isCount(fields.id)) throw malformed('id is not a number');
  return fields.id;
}

function nameOf(fields: Fields, field: string): string {
  const name = fields[field];
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_CHARS) {
    throw malformed(`${field} is not a text of 1 to ${MAX_NAME_CHARS} characters`);
  }
  return name;
}

function errorOf(error: unknown): WireError {
  if (!isObject(error)) throw malformed('error is not an object');
  const { code, kind, message, context, cause } = error;
  if (typeof code !== 'string' || typeof message !== 'string')
    throw malformed('error has no code or message');
  if (typeof kind !== 'string' || !Object.hasOwn(ERROR_KINDS, kind))
    throw malformed('error has no known kind');
  if (!isObject(context) || !Object.values(context).every(isPlain)) {
    throw malformed('error has no context of plain values');
  }
  if (cause !== null && typeof cause !== 'string') throw malformed('error has a cause that is not text');
  return { code, kind: kind as ErrorKind, message, context: context as WireError['context'], cause };
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isPlain(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
