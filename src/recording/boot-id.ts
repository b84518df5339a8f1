/** Which start of the operating system this is: tells a killed process from a machine that went down. */

import { readFileSync } from 'node:fs';
import { BOOT_ID_BYTES } from './recording-boxes.ts';

const LINUX_BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** BOOT_ID_BYTES; zeros where the system does not say. */
export function readBootId(): Buffer {
  try {
    const bytes = Buffer.from(readFileSync(LINUX_BOOT_ID, 'latin1').replaceAll('-', '').trim(), 'hex');
    if (bytes.length === BOOT_ID_BYTES) return bytes;
  } catch {
    // Not Linux: unfinished segments are then checked as after a power cut.
  }
  return Buffer.alloc(BOOT_ID_BYTES);
}
