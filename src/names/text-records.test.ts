import { expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { FAILURE_KEPT_MS, NAME_DEADLINE_MS } from './name-resolver.ts';
import { TextRecords } from './text-records.ts';

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (thrown: { code: string }) => thrown.code,
  );

it('joins the strings of a record, and remembers them for a moment', async () => {
  const clock = new FakeClock();
  const requested: string[] = [];
  const records = new TextRecords({
    clock,
    query: async (name) => {
      requested.push(name);
      return [['one ', 'text'], ['another']];
    },
  });
  for (const name of ['Gate.Example', 'gate.example']) {
    expect(await records.textsOf(name, 'one')).toEqual(['one text', 'another']);
  }
  clock.advance(FAILURE_KEPT_MS);
  await records.textsOf('gate.example', 'one');
  expect(requested).toEqual(['gate.example.', 'gate.example.']);
});

it.each(['ENOTFOUND', 'ENODATA'])('says that there are none: %s', async (code) => {
  const query = () => Promise.reject(Object.assign(new Error(code), { code }));
  expect(await new TextRecords({ clock: new FakeClock(), query }).textsOf('gate.example', 'one')).toEqual([]);
});

it('fails for a server that fails, and for one that is silent for too long', async () => {
  const clock = new FakeClock();
  const silent = new Promise<never>(() => undefined);
  const failed = Object.assign(new Error('x'), { code: 'ESERVFAIL' });
  const records = new TextRecords({
    clock,
    query: (name) => (name === 'mute.example.' ? silent : Promise.reject(failed)),
  });
  expect(await codeOf(records.textsOf('gate.example', 'one'))).toBe('ESERVFAIL');
  const late = codeOf(records.textsOf('mute.example', 'one'));
  clock.advance(NAME_DEADLINE_MS);
  expect(await late).toBe('ETIMEOUT');
});

it('asks for another organization, however many names of one are silent', async () => {
  const silent = new Promise<never>(() => undefined);
  const records = new TextRecords({
    clock: new FakeClock(),
    query: async (name) => (name.endsWith('.mute.example.') ? silent : [['x']]),
  });
  const { total, levels } = LIMITS.nameLookups;
  const most = total * levels.organization.share;
  for (let count = 0; count < most; count++) void records.textsOf(`${count}.mute.example`, 'greedy');
  expect(await codeOf(records.textsOf('gate.example', 'greedy'))).toBe('TOO_MANY_LOOKUPS');
  expect(await records.textsOf('gate.example', 'other')).toEqual(['x']);
});
