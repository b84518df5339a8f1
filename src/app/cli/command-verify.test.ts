import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { casesBench } from '../../cases/cases-fixture.ts';
import { archiveOf, archiveOfFiles, filesOf, sealedCase } from '../../front-door/files/archive-fixture.ts';
import { testFolder } from '../../recording/recording-fixture.ts';
import { verifyCommand } from './command-verify.ts';

async function savedCase(): Promise<Buffer> {
  const bench = await casesBench();
  return archiveOf(bench, await sealedCase(bench, 3));
}

async function unpackedCase(): Promise<string> {
  const folder = testFolder();
  for (const [name, bytes] of await filesOf(await savedCase())) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
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

it('says whether a folder is as it was sealed, and by which key', async () => {
  const folder = await unpackedCase();
  const whole = await verify(folder);
  expect(whole).toMatchObject({ code: 0, text: expect.stringContaining('Everything is as it was sealed') });
  const [, fingerprint] = /Certificate: {2}([0-9a-f]{64})/.exec(whole.text)!;
  expect((await verify(folder, '--fingerprint', fingerprint!.toUpperCase())).code).toBe(0);
  expect((await verify(folder, '--fingerprint', 'a'.repeat(64))).code).toBe(1);
  writeFileSync(join(folder, 'events.json'), '[ ]\n');
  writeFileSync(join(folder, 'note.txt'), 'x');
  const changed = await verify(folder);
  expect(changed.code).toBe(1);
  expect(changed.text).toMatch(/changed +events\.json/);
  expect(changed.text).toMatch(/extra +note\.txt/);
});

it('checks the archive as it was saved, and names the file of a changed byte', async () => {
  const archive = await savedCase();
  const path = join(testFolder(), 'Theft.zip');
  writeFileSync(path, archive);
  const whole = await verify(path);
  expect(whole).toMatchObject({ code: 0, text: expect.stringContaining('Everything is as it was sealed') });
  expect(whole.text).toMatch(/Name: +Sluice evidence [0-9a-f]{32}\nGeneration: +1\n/);
  for (const [name, bytes] of await filesOf(archive)) {
    const changed = Buffer.from(archive);
    // A file follows its name, as it is.
    const start = archive.indexOf(Buffer.concat([Buffer.from(name), bytes])) + Buffer.byteLength(name);
    changed[start + Math.floor(bytes.length / 2)]! ^= 1;
    writeFileSync(path, changed);
    const { code, text } = await verify(path);
    const expected = name.startsWith('manifest.')
      ? /Manifest: +changed/
      : new RegExp(`changed +${name}`, 'u');
    expect({ name, code }).toEqual({ name, code: 1 });
    expect(text).toMatch(expected);
  }
});

it('does not blame a folder for what an operating system put into it', async () => {
  const folder = await unpackedCase();
  for (const name of ['.DS_Store', 'media/Thumbs.db']) writeFileSync(join(folder, name), 'x');
  expect((await verify(folder)).code).toBe(0);
});

it('names what is missing from an archive, and what was added', async () => {
  const files = await filesOf(await savedCase());
  const name = [...files.keys()].find((each) => each.startsWith('media/'))!;
  files.delete(name);
  const path = join(testFolder(), 'Theft.zip');
  writeFileSync(path, await archiveOfFiles(files.set('media/other.mp4', Buffer.from('x'))));
  const { code, text } = await verify(path);
  expect(code).toBe(1);
  expect(text).toMatch(new RegExp(`missing +${name}`, 'u'));
  expect(text).toMatch(/extra +media\/other\.mp4/);
});

it('refuses what is not an archive', async () => {
  const path = join(testFolder(), 'text');
  writeFileSync(path, 'x');
  await expect(verifyCommand.run([path])).rejects.toMatchObject({ code: 'VERIFY_UNREADABLE' });
  await expect(verifyCommand.run([`${path}2`])).rejects.toMatchObject({ code: 'VERIFY_UNREADABLE' });
  await expect(verifyCommand.run([])).rejects.toMatchObject({ code: 'CLI_OPTION_INVALID' });
});

const SIGNED = join(import.meta.dirname, '../../codec/media-signing/fixtures');

it('says which times of a video are as the camera signed them', async () => {
  for (const codec of ['h264', 'h265']) {
    const { text } = await verify(join(SIGNED, `signed-${codec}.mp4`));
    expect(text).toContain('Camera:       Signed Media Framework');
    expect(text).toContain('CN=Test camera');
    expect(text).toContain('not checked: pass the anchor');
    expect(text.split('\n').filter((line) => line.startsWith('signed'))).toHaveLength(1);
    expect(text).not.toMatch(/changed|incomplete|unverifiable/);
  }
});

it('finds a changed frame of a signed video, and needs the anchor that is given', async () => {
  const file = readFileSync(join(SIGNED, 'signed-h264.mp4'));
  file[file.length >> 1]! ^= 1;
  const path = join(testFolder(), 'changed.mp4');
  writeFileSync(path, file);
  const changed = await verify(path);
  expect(changed.code).toBe(1);
  expect(changed.text).toMatch(
    /changed +\d+\.\d+ s to \d+\.\d+ s {2}\(62 units, \d+ changed, units-changed\)/,
  );
  // The certificates of the recordings have ended, and their camera's clock was never set.
  const trusted = await verify(join(SIGNED, 'signed-h264.mp4'), '--anchor', join(SIGNED, 'ca.pem'));
  expect(trusted).toMatchObject({ code: 1, text: expect.stringContaining('was not valid at the time') });
  await expect(verifyCommand.run([testFolder(), '--anchor', 'x'])).rejects.toMatchObject({
    code: 'CLI_OPTION_INVALID',
  });
});
