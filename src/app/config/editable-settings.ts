/** Which settings can be edited in the console, and which of them belong to one node of a cluster. */

import type { SettingLock } from '../../system/config-view.ts';

/**
 * `start`: the gateway needs it before it can read what the console stored, or nodes must agree on it before they meet. `machine`: it names
 * a program or a folder, which only a person with access to the machine should choose.
 */
const LOCKS: Readonly<Record<string, SettingLock>> = {
  data: 'start',
  database: 'start',
  redis: 'start',
  cluster: 'start',
  bootstrap: 'start',
  'log.format': 'start',
  'ffmpeg.path': 'machine',
  'recording.folder': 'machine',
  'public.internalFiles': 'machine',
};

/** What differs between machines: addresses, and files with certificates. */
const NODE_SETTINGS: readonly string[] = ['listen', 'tls', 'h2c', 'proxyProtocol', 'rtsp', 'rtmp.listen'];

/** Null: it can be edited in the console, unless a variable sets it. */
export function lockOf(path: string): SettingLock | null {
  return LOCKS[path] ?? LOCKS[path.split('.')[0]!] ?? null;
}

/** Whether each node has a value of its own. */
export function isNodeSetting(path: string): boolean {
  return NODE_SETTINGS.some((name) => path === name || path.startsWith(`${name}.`));
}
