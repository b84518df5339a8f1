/**
 * Sends a handler's result. A long list is written in slices (core/sliced-work.ts), each created when the connection has taken the one
 * before: no matter how long it is, media waits for one slice at most, and memory holds few of its items. Nothing can fail by then, so a
 * response that begins as a success ends as one; a bug of ours cuts it off.
 */

import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { LongList } from '../core/long-list.ts';
import { SlicedWork, STEPS_PER_SLICE } from '../core/sliced-work.ts';
import type { ResponseFile } from './endpoint.ts';
import { type Envelope, successEnvelope } from './envelope.ts';

/** Text that waits for the connection to take it; no more is produced. */
const MAX_WAITING_BYTES = 64 * 1_024;

const EMPTY_LIST_END = ']}';

interface LongField {
  readonly name: string;
  readonly list: LongList<object>;
}

export interface SendResponseOptions {
  readonly clock: Clock;
  /** A client that reads nothing of a long response for this long is cut off. */
  readonly stallTimeoutMs: number;
}

/** The value for a route's handler to return. Fastify writes a response without long lists. */
export async function sendResponse(
  reply: FastifyReply,
  response: Envelope,
  options: SendResponseOptions,
): Promise<object> {
  const short: Record<string, unknown> = {};
  const long: LongField[] = [];
  for (const [name, value] of Object.entries(response)) {
    const list = listOf(value);
    if (list === null) short[name] = value;
    else if (list.mostItems <= STEPS_PER_SLICE) short[name] = await list.toArray();
    else long.push({ name, list });
  }
  if (long.length === 0) return short;
  const text = Readable.from(untilStalled(slicesOf(reply, short, long), reply, options), {
    objectMode: false,
    highWaterMark: MAX_WAITING_BYTES,
  });
  return reply.header('content-type', 'application/json; charset=utf-8').send(text);
}

/** The text of an answer whose success is a file. */
export function sendFile(
  reply: FastifyReply,
  { mediaType, name }: ResponseFile,
  response: Envelope & { readonly text?: unknown },
): FastifyReply {
  return reply
    .header('content-type', `${mediaType}; charset=utf-8`)
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(String(response.text));
}

function listOf(value: unknown): LongList<object> | null {
  if (value instanceof LongList) return value as LongList<object>;
  const isLong = Array.isArray(value) && value.length > STEPS_PER_SLICE && typeof value[0] === 'object';
  return isLong ? LongList.of(value as object[]) : null;
}

/** Fastify's own timeout covers only the request. */
async function* untilStalled(
  slices: AsyncGenerator<string>,
  reply: FastifyReply,
  { clock, stallTimeoutMs }: SendResponseOptions,
): AsyncGenerator<string> {
  for await (const slice of slices) {
    const stalled = clock.after(stallTimeoutMs, () => reply.raw.destroy());
    try {
      yield slice;
    } finally {
      stalled.cancel();
    }
  }
}

/**
 * The JSON text of the response: the short fields, then the long ones. If the client leaves, it ends at the next slice.
 */
async function* slicesOf(
  reply: FastifyReply,
  short: object,
  long: readonly LongField[],
): AsyncGenerator<string> {
  const work = new SlicedWork();
  await work.pause();
  let text = String(reply.serialize(short)).slice(0, -1);
  for (const { name, list } of long) {
    text += `,${JSON.stringify(name)}:[`;
    const itemText = itemWriter(reply, name);
    let isFirst = true;
    for (const item of list.steps()) {
      if (item !== undefined) {
        text += isFirst ? itemText(item) : `,${itemText(item)}`;
        isFirst = false;
      }
      if (work.step()) {
        yield text;
        text = '';
        await work.pause();
      }
    }
    text += ']';
  }
  yield `${text}}`;
}

/** Writes an item as the route's serializer does within its list; only that serializer knows which fields are sent. */
function itemWriter(reply: FastifyReply, name: string): (item: object) => string {
  const around = successEnvelope(null);
  const textWith = (items: object[]) => String(reply.serialize({ ...around, [name]: items }));
  const start = textWith([]).length - EMPTY_LIST_END.length;
  return (item) => textWith([item]).slice(start, -EMPTY_LIST_END.length);
}
