/** Processes as the kernel lists them: proc(5). */

import { readdirSync, readFileSync } from 'node:fs';

interface ProcessStatus {
  readonly name: string;
  readonly state: string;
  readonly parentPid: number;
}

/** null if the process does not exist. */
function statusOf(pid: number): ProcessStatus | null {
  try {
    const fields = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(fields)?.[1] ?? '';
    return { name: field('Name'), state: field('State'), parentPid: Number(field('PPid')) };
  } catch {
    return null; // it ended
  }
}

/** Zombies count as gone: in a container, they may never be reaped. */
export function isAlive(pid: number): boolean {
  const status = statusOf(pid);
  return status !== null && status.state !== 'Z';
}

/** Living processes that `parentPid` started, called `name` unless that is null. */
export function childrenOf(parentPid: number, name: string | null): number[] {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  return pids.map(Number).filter((pid) => {
    const status = statusOf(pid);
    if (status?.parentPid !== parentPid || status.state === 'Z') return false;
    return name === null || status.name === name;
  });
}

/** Arguments of the process, its name first; empty if it ended. */
export function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return []; // it ended
  }
}

/** The processes called `name` that a gateway or its spawner (src/ffmpeg/spawner.ts) started. */
export function helpersOf(gatewayPid: number, name: string): number[] {
  const parents = [gatewayPid, ...childrenOf(gatewayPid, 'sluice-jail')];
  return parents.flatMap((pid) => childrenOf(pid, name));
}

/** The ffmpeg workers of a gateway, without those loaded for still images: these start without arguments. */
export function workersOf(gatewayPid: number): number[] {
  return helpersOf(gatewayPid, 'ffmpeg').filter((pid) => argumentsOf(pid).length > 1);
}
