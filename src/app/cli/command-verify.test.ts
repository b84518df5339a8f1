import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { sealedEntries } from '../../cases/case-archive.ts';
import { CASES_START_MS, casesBench } from '../../cases/cases-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { testFolder } from '../../recording/recording-fixture.ts';
import { verifyCommand } from './command-verify.ts';

async function unpackedCase(): Promise<string> {
  const { cases, sealer, orgUuid, sources, record } = await casesBench();
  const { cameraUuid } = await record(3);
  const { uuid } = await cases.create(orgUuid, { title: 'Theft', number: '', notes: '' }, 'Ada');
  const thing = { cameraUuid, startMs: CASES_START_MS, endMs: CASES_START_MS + 60_000 };
  await cases.add(orgUuid, uuid, { thing, note: '', by: 'Ada', reader: newRuuid() });
  await sealer.seal(orgUuid, uuid, 'Ada');
  await sealer.settled();
  const { record: found } = await cases.find(orgUuid, uuid);
  const folder = testFolder();
  for (const { name, read } of await sealedEntries(sources, found, (await cases.seal(orgUuid, uuid))!)) {
    const blocks: Buffer[] = [];
    for await (const block of read()) blocks.push(block);
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), Buffer.concat(blocks));
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
