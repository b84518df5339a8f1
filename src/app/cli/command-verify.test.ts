import { mkdirSync, writeFileSync } from 'node:fs';
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
