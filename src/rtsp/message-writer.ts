/**
 * Writes RTSP messages (RFC 2326 §4 to §7). The caller supplies CSeq and every other field; Content-Length is added.
 * Heads are Latin-1, as they are read: text in other scripts arrives here as its UTF-8 bytes, one per character.
 */

import { GatewayError } from '../core/errors.ts';
import { RTSP_ERRORS } from './errors.ts';
import type { RtspHeaderField } from './headers.ts';

/**
 * One request. Fails with RTSP_UNWRITABLE if a part holds a line break, NUL or a character beyond Latin-1, or the URI
 * holds a space.
 */
export function writeRequest(
  method: string,
  uri: string,
  fields: readonly RtspHeaderField[],
  body: string | Uint8Array = '',
): Buffer {
  if (uri.includes(' ')) throw new GatewayError(RTSP_ERRORS.RTSP_UNWRITABLE, { field: 'uri' });
  return writeMessage(`${method} ${uri} RTSP/1.0`, fields, body);
}

/** One response. Fails with RTSP_UNWRITABLE if a part holds a line break, NUL or a character beyond Latin-1. */
export function writeResponse(
  statusCode: number,
  reasonPhrase: string,
  fields: readonly RtspHeaderField[],
  body: string | Uint8Array = '',
): Buffer {
  return writeMessage(`RTSP/1.0 ${statusCode} ${reasonPhrase}`, fields, body);
}

function writeMessage(
  startLine: string,
  fields: readonly RtspHeaderField[],
  body: string | Uint8Array,
): Buffer {
  if (!isSingleLine(startLine)) throw new GatewayError(RTSP_ERRORS.RTSP_UNWRITABLE, { field: 'start-line' });
  let head = `${startLine}\r\n`;
  for (const [name, value] of fields) {
    if (!isSingleLine(name) || !isSingleLine(value))
      throw new GatewayError(RTSP_ERRORS.RTSP_UNWRITABLE, { field: name });
    head += `${name}: ${value}\r\n`;
  }
  const bodyBytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  if (bodyBytes.length > 0) head += `Content-Length: ${bodyBytes.length}\r\n`;
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), bodyBytes]);
}

/** With a line break in a field, a camera's text could write its own headers; text beyond Latin-1 has no bytes here. */
function isSingleLine(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x0d || code === 0x0a || code === 0 || code > 0xff) return false;
  }
  return true;
}
