/** GStreamer's ONVIF server as a camera with a speaker, and what the speaker plays. */

import { resolve } from 'node:path';
import { Child } from './child.ts';
import { freePort } from './ports.ts';

export interface HeardBuffer {
  readonly atEpochMs: number;
  /** 8 kHz. */
  readonly samples: Int16Array;
}

export interface GstSpeaker {
  readonly url: string;
  /** What was heard so far. */
  heard(): HeardBuffer[];
  stop(): Promise<void>;
}

const SCRIPT = resolve(import.meta.dirname, '../peers/gst-speaker.py');

export async function startGstSpeaker(law: 'PCMU' | 'PCMA'): Promise<GstSpeaker> {
  const port = await freePort();
  const child = new Child('/usr/bin/python3', [SCRIPT, String(port), law]);
  await child.line(/^ready$/);
  return {
    url: `rtsp://127.0.0.1:${port}/stream`,
    heard: () => child.lines.filter((line) => line.startsWith('heard ')).map(heardBuffer),
    stop: () => child.end('SIGKILL'),
  };
}

function heardBuffer(line: string): HeardBuffer {
  const [, atEpochMs, hex = ''] = line.split(' ');
  const bytes = Buffer.from(hex, 'hex');
  const samples = Int16Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(2 * at));
  return { atEpochMs: Number(atEpochMs), samples };
}
