/** The process that plays shares. */

import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { launchProbe } from './probe-process-link.ts';

describe('the process', () => {
  it('gets nothing of the gateway’s environment, and ends when the gateway does', async () => {
    process.env.SLUICE_SECRET_FOR_TEST = 'a secret';
    const child = launchProbe() as ChildProcess;
    try {
      await new Promise((resolve) => child.once('message', resolve));
      expect(readFileSync(`/proc/${child.pid}/environ`, 'utf8')).not.toContain('SLUICE');
      expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).not.toContain('live');
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      expect(await ended).toBe(0);
    } finally {
      delete process.env.SLUICE_SECRET_FOR_TEST;
      child.kill('SIGKILL');
    }
  });
});
