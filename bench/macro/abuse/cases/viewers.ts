/** Viewers that read their responses slowly, partly, or not at all. */

import { setTimeout as delay } from 'node:timers/promises';
import { readPlaylistText } from '../../../../test/support/playlist-text.ts';
import { type Abuse, deviations, type Ground } from '../abuse.ts';
import { Crowd } from '../sockets.ts';

const group = 'viewers';
const READ_BYTES = 1_024;

async function newestPath(playlistUrl: string): Promise<string> {
  const { segments } = readPlaylistText(await (await fetch(playlistUrl)).text());
  return new URL(segments.at(-1)!.uri, playlistUrl).pathname;
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** One connection for each new segment, each read at a kilobyte per second. */
async function slowReaders({ gateway, playlistUrl, isShort }: Ground): Promise<string[]> {
  const crowd = new Crowd(gateway.mediaUrl);
  for (let second = 0; second < (isShort ? 4 : 20); second++) {
    crowd.open(10, get(await newestPath(playlistUrl)), false);
    for (const socket of crowd.sockets) socket.read(READ_BYTES);
    await delay(1_000);
  }
  crowd.close();
  return [];
}

/** Requests more than it will ever read. */
async function unreadResponses({ gateway, playlistUrl }: Ground): Promise<string[]> {
  const crowd = new Crowd(gateway.mediaUrl);
  crowd.open(20, get(await newestPath(playlistUrl)).repeat(500), false);
  for (const socket of crowd.sockets) socket.pause();
  await delay(6_000);
  crowd.close();
  return [];
}

async function resets({ gateway, playlistUrl, isShort }: Ground): Promise<string[]> {
  const path = await newestPath(playlistUrl);
  for (let round = 0; round < (isShort ? 5 : 30); round++) {
    const crowd = new Crowd(gateway.mediaUrl);
    crowd.open(30, get(path), false);
    await delay(20);
    for (const socket of crowd.sockets) socket.resetAndDestroy();
  }
  return [];
}

async function halfClosed({ gateway, playlistUrl }: Ground): Promise<string[]> {
  const crowd = new Crowd(gateway.mediaUrl);
  crowd.open(100, get(await newestPath(playlistUrl)));
  for (const socket of crowd.sockets) socket.end();
  await delay(3_000);
  const whole = crowd.texts.filter((text) => text.startsWith('HTTP/1.1 200')).length;
  crowd.close();
  return deviations([[`${whole} of 100 answered`, whole === 100]]);
}

export const abuses: readonly Abuse[] = [
  { group, name: 'slow readers of segments', attack: slowReaders },
  { group, name: 'responses that are never read', attack: unreadResponses },
  { group, name: 'resets during responses', attack: resets },
  { group, name: 'half-closed connections', attack: halfClosed },
];
