/** Edits RTSP responses as text. */

import type { RtspRequest } from '../../../src/rtsp/message.ts';
import type { CameraHabits, ConnectionHabits } from '../../../src/synthetic-camera/habits.ts';

type Respond = NonNullable<ConnectionHabits['respond']>;

/** Header lines without the empty one, and the body. */
export interface ResponseText {
  readonly head: readonly string[];
  readonly body: string;
}

/** Changes the responses to one method. Content-Length follows the body. */
export function editing(
  method: string,
  edit: (text: ResponseText, request: RtspRequest) => ResponseText,
  lineEnd = '\r\n',
): CameraHabits {
  return responding((request, response) =>
    request.method === method ? write(edit(read(response), request), lineEnd) : response,
  );
}

/** Changes header lines of the responses to one method; null drops a line. */
export function editingHead(
  method: string,
  edit: (line: string, request: RtspRequest) => string | null,
): CameraHabits {
  return editing(method, ({ head, body }, request) => ({
    head: head.map((line) => edit(line, request)).filter((line) => line !== null),
    body,
  }));
}

export function responding(respond: Respond): CameraHabits {
  return { connection: () => ({ respond }) };
}

/** A whole response with these lines after CSeq. */
export function reply(request: RtspRequest, status: string, lines: readonly string[] = []): Buffer {
  const cseq = `CSeq: ${request.headers.get('CSeq') ?? ''}`;
  return Buffer.from([`RTSP/1.0 ${status}`, cseq, ...lines, '', ''].join('\r\n'));
}

export function read(response: Buffer): ResponseText {
  const text = response.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  return { head: text.slice(0, end).split('\r\n'), body: text.slice(end + 4) };
}

export function write({ head, body }: ResponseText, lineEnd = '\r\n'): Buffer {
  const others = head.filter((line) => !/^content-length:/i.test(line));
  const length = body === '' ? [] : [`Content-Length: ${body.length}`];
  return Buffer.from([...others, ...length, '', body].join(lineEnd), 'latin1');
}

export function portOf(request: RtspRequest): string {
  return new URL(request.uri).port;
}

/** Accepts SETUP for a track that the camera describes but never sends. */
export function settingUp(track: string): CameraHabits {
  return responding((request, response) => {
    if (request.method !== 'SETUP' || !request.uri.endsWith(track)) return response;
    const transport = request.headers.get('Transport') ?? '';
    const session = request.headers.get('Session') ?? '1';
    return reply(request, '200 OK', [`Transport: ${transport}`, `Session: ${session}`]);
  });
}
