/** Memory of processes that the gateway started, as Linux knows it. */

import { readFile } from 'node:fs/promises';

/** A worker in its jail is a few processes; more are not looked at. */
const MAX_PROCESSES = 16;
const RESIDENT_LINE = /^VmRSS:\s*(\d+) kB$/m;
const BYTES_PER_KIB = 1_024;

/** Resident memory of a process and of its descendants; null: it has ended, or this system does not report it. */
export async function residentBytesOfTree(pid: number): Promise<number | null> {
  const pids = [pid];
  let bytes: number | null = null;
  for (let i = 0; i < pids.length && i < MAX_PROCESSES; i++) {
    const folder = `/proc/${pids[i]}`;
    const [status, children] = await Promise.all([
      textOf(`${folder}/status`),
      textOf(`${folder}/task/${pids[i]}/children`),
    ]);
    const kib = RESIDENT_LINE.exec(status)?.[1];
    if (kib !== undefined) bytes = (bytes ?? 0) + Number(kib) * BYTES_PER_KIB;
    pids.push(...children.split(' ').filter(Boolean).map(Number));
  }
  return bytes;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'latin1');
  } catch {
    // It has ended in the meantime, or there is no /proc.
    return '';
  }
}
