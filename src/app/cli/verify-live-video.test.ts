import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { signedLive } from '../../c2pa/signed-live-fixture.ts';
import { testFolder } from '../../recording/recording-fixture.ts';
import { verifyCommand } from './command-verify.ts';

const FIRST = 70;
const SEGMENTS = 3;

function savedLive(): string {
  const folder = testFolder();
  const { init, segments } = signedLive(FIRST, SEGMENTS);
  writeFileSync(join(folder, 'seg_init_12345678.mp4'), init);
  for (const [at, bytes] of segments.entries()) writeFileSync(join(folder, `seg_${FIRST + at}.m4v`), bytes);
  return folder;
}

async function verify(...args: string[]): Promise<{ code: number; text: string }> {
  let text = '';
  const writing = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  const code = await verifyCommand.run(args).finally(() => writing.mockRestore());
  return { code, text };
}

function change(folder: string, name: string, at: number): void {
  const bytes = readFileSync(join(folder, name));
  bytes[at]! ^= 1;
  writeFileSync(join(folder, name), bytes);
}

it('says that saved live video is as the gateway published it, and by which key', async () => {
  const folder = savedLive();
  const whole = await verify(folder);
  expect(whole.text).toContain('Everything is as the gateway published it');
  expect(whole.text).toMatch(/3 of 3 segments are signed\./);
  expect(whole.code).toBe(0);
  const [, fingerprint] = /Certificate: {2}([0-9a-f]{64})/.exec(whole.text)!;
  expect((await verify(folder, '--fingerprint', fingerprint!)).code).toBe(0);
  expect(await verify(folder, '--fingerprint', 'a'.repeat(64))).toMatchObject({
    code: 1,
    text: expect.stringContaining('another one than expected'),
  });
});

it.each([
  ['the init segment', 'seg_init_12345678.mp4', -1],
  ['the media of a segment', 'seg_71.m4v', -1],
  ['the signature of a segment', 'seg_71.m4v', 'emsg'],
] as const)('names the file of a changed byte in %s', async (_name, file, place) => {
  const folder = savedLive();
  const bytes = readFileSync(join(folder, file));
  change(folder, file, place === -1 ? bytes.length - 1 : bytes.indexOf(place) + 200);
  const { code, text } = await verify(folder);
  expect(code).toBe(1);
  expect(text).toMatch(new RegExp(`changed +${file}`));
  expect(text).toContain('This is not what the gateway published.');
});

it('finds exchanged segments, a missing one, and one without a signature', async () => {
  const exchanged = savedLive();
  const [one, other] = ['seg_70.m4v', 'seg_71.m4v'].map((name) => readFileSync(join(exchanged, name)));
  writeFileSync(join(exchanged, 'seg_70.m4v'), other!);
  writeFileSync(join(exchanged, 'seg_71.m4v'), one!);
  expect(await verify(exchanged)).toMatchObject({
    code: 1,
    text: expect.stringMatching(/changed +seg_70\.m4v +\(it is in the place of another segment\)/),
  });

  const missing = savedLive();
  rmSync(join(missing, 'seg_71.m4v'));
  expect(await verify(missing)).toMatchObject({
    code: 1,
    text: expect.stringContaining('2 of 2 segments are signed, 1 between them are missing'),
  });

  const bare = savedLive();
  writeFileSync(join(bare, 'seg_71.m4v'), Buffer.from([0, 0, 0, 8, 109, 100, 97, 116]));
  expect(await verify(bare)).toMatchObject({ code: 1, text: expect.stringMatching(/not signed +seg_71/) });
});

it('says that live video without signatures is not signed', async () => {
  const folder = savedLive();
  for (const name of readdirSync(folder)) {
    writeFileSync(join(folder, name), Buffer.from([0, 0, 0, 8, 109, 100, 97, 116]));
  }
  expect(await verify(folder)).toEqual({ code: 1, text: 'This video is not signed.\n' });
});
