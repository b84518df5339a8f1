import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { MAX_SPARE_SLABS } from './media-blocks.ts';

describe('media blocks', () => {
  it('go back to the system soon after many were released', async () => {
    const script = join(import.meta.dirname, '../../test/support/fill-media-blocks.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [script, '512']);
    const { filledMiB, emptiedMiB } = JSON.parse(stdout) as Record<string, number>;
    expect(filledMiB! - emptiedMiB!).toBeGreaterThan(512 - MAX_SPARE_SLABS - 100);
  });
});
