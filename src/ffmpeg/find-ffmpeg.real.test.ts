import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findFfmpeg } from './find-ffmpeg.ts';

const PROTOCOLS = 'Supported file protocols:\\nInput:\\n  rtmp\\n  srt\\nOutput:\\n  file\\n';

const noBundle = () => null;

describe('findFfmpeg', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'find-ffmpeg-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function fakeFfmpeg(
    name: string,
    libavformatMajor: number,
    encoders = ' V....D libx264 H.264',
  ): Promise<string> {
    const path = join(folder, name);
    const version = `ffmpeg version of-${name} Copyright\\nlibavformat    ${libavformatMajor}. 27.100`;
    await writeFile(
      path,
      `#!/bin/sh\ncase "$2" in -version) printf '${version}\\n';; -protocols) printf '${PROTOCOLS}';; *) echo '${encoders}';; esac\n`,
    );
    await chmod(path, 0o755);
    return path;
  }

  it('takes the configured one whatever its version, and says what it is', async () => {
    const path = await fakeFfmpeg('mine', 58, ' A....D aac AAC');
    expect(await findFfmpeg({ configuredPath: path })).toEqual({
      path,
      version: 'of-mine',
      major: 4,
      origin: 'configured',
      isOutdated: true,
      hasX264: false,
      hasAac: true,
      hasJpeg: false,
      protocols: new Set(['rtmp', 'srt']),
    });
  });

  it('does not replace a configured one that does not run', async () => {
    const lookup = findFfmpeg({ configuredPath: join(folder, 'missing') });
    await expect(lookup).rejects.toMatchObject({
      code: 'FFMPEG_NOT_FOUND',
      context: { path: join(folder, 'missing') },
    });
  });

  it.each([
    ['a current system ffmpeg', 59, 58, 'system'],
    ['the bundled one when the system’s is outdated', 58, 58, 'bundled'],
  ])('takes %s', async (_title, systemMajor, bundledMajor, origin) => {
    await fakeFfmpeg('ffmpeg', systemMajor);
    const bundled = await fakeFfmpeg('bundled', bundledMajor);
    const found = await findFfmpeg({ searchPath: `relative:${folder}`, bundledPath: () => bundled });
    expect([found.origin, found.isOutdated]).toEqual([origin, origin === 'bundled']);
  });

  it('takes an outdated system ffmpeg before none', async () => {
    await fakeFfmpeg('ffmpeg', 58);
    expect(await findFfmpeg({ searchPath: folder, bundledPath: noBundle })).toMatchObject({
      origin: 'system',
      isOutdated: true,
    });
  });

  it('says what to do when there is none', async () => {
    await expect(findFfmpeg({ searchPath: folder, bundledPath: noBundle })).rejects.toMatchObject({
      code: 'FFMPEG_NOT_FOUND',
    });
  });

  it('finds one on this machine that encodes what viewers play', async () => {
    expect(await findFfmpeg()).toMatchObject({ hasX264: true, hasAac: true, hasJpeg: true });
  });

  it('brings a bundled one that is known to be outdated', async () => {
    expect(await findFfmpeg({ searchPath: folder })).toMatchObject({
      origin: 'bundled',
      isOutdated: true,
      hasX264: true,
    });
  });
});
