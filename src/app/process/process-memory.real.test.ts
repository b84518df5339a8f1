import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { residentBytesOfTree } from './process-memory.ts';

it('counts a process and what it started, and knows nothing of one that is gone', async () => {
  const child = spawn('/bin/sh', ['-c', 'sleep 100 & echo started; wait'], { detached: true });
  try {
    await once(child.stdout, 'data');
    expect(await residentBytesOfTree(child.pid!)).toBeGreaterThan(100_000);
  } finally {
    process.kill(-child.pid!, 'SIGKILL');
    await once(child, 'exit');
  }
  expect(await residentBytesOfTree(child.pid!)).toBeNull();
});
