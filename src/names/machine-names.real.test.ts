/** Against a name server that answers some names and is silent about others. */

import { createSocket, type Socket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { queryOf, textQueryOf } from './machine-names.ts';
import { NameResolver } from './name-resolver.ts';
import { TextRecords } from './text-records.ts';

const HEADER_BYTES = 12;
const TYPE_A = 1;
const TYPE_TXT = 16;

let server: Socket;
let resolver: NameResolver;
let texts: TextRecords;

beforeEach(async () => {
  server = createSocket('udp4');
  server.on('message', (query, { port, address }) => {
    const reply = replyTo(query);
    if (reply !== null) server.send(reply, port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new dns.Resolver({ timeout: 300, tries: 1 });
  client.setServers([`127.0.0.1:${server.address().port}`]);
  texts = new TextRecords({ clock: systemClock, query: textQueryOf(client) });
  resolver = new NameResolver({
    clock: systemClock,
    query: queryOf(client),
    readLocalNames: async () => ({ hosts: new Map(), search: { domains: [], dots: 1 } }),
    lookUpLocally: () => Promise.reject(new Error('not of .local')),
  });
});
afterEach(() => server.close());

/** One A record and one TXT record of two strings for `gate.example`, no others (RFC 1035 §4.1); null for names of `mute.example`. */
function replyTo(query: Buffer): Buffer | null {
  const question = query.subarray(HEADER_BYTES, questionEnd(query));
  if (question.includes('mute')) return null;
  const type = question.readUInt16BE(question.length - 4);
  const data = type === TYPE_A ? Buffer.from([192, 0, 2, 1]) : Buffer.from('\x04one \x04text', 'latin1');
  const isRequested = (type === TYPE_A || type === TYPE_TXT) && question.includes('gate');
  const header = Buffer.from(query.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(isRequested ? 1 : 0, 6);
  header.writeUInt32BE(0, 8);
  const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 30, 0, data.length, ...data]);
  return Buffer.concat([header, question, ...(isRequested ? [record] : [])]);
}

function questionEnd(query: Buffer): number {
  let at = HEADER_BYTES;
  while (query[at] !== 0) at += query[at]! + 1;
  return at + 5;
}

it('reads addresses from a name server', async () => {
  expect(await resolver.addressesOf('gate.example', 'one')).toEqual([{ address: '192.0.2.1', family: 4 }]);
  await expect(resolver.addressesOf('none.example', 'one')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

it('holds no thread of the process for silent names: others are resolved and files are read meanwhile', async () => {
  const order: string[] = [];
  const mute = Array.from({ length: 50 }, (_, index) =>
    resolver.addressesOf(`mute-${index}.example`, 'greedy').catch((error) => order.push(error.code)),
  );
  await resolver.addressesOf('gate.example', 'modest');
  await dns.lookup('localhost');
  order.push('others');
  await Promise.all(mute);
  expect(order).toEqual(['others', ...Array(50).fill('ETIMEOUT')]);
});

it('reads TXT records, and says that there are none, or that no one responds', async () => {
  expect(await texts.textsOf('_sluice-domain.gate.example', 'one')).toEqual(['one text']);
  expect(await texts.textsOf('none.example', 'one')).toEqual([]);
  await expect(texts.textsOf('mute.example', 'one')).rejects.toMatchObject({ code: 'ETIMEOUT' });
});
