import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';

const CREATE = '/api/camera/createSharedLiveVideoStream';
const CROSSINGS = '/api/ingest/thresholdCrossings';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

function newShare(fields: object): object {
  return { cameraUuid: fixture.own.camera.uuid, streamType: 'USER', vodEnabled: false, ...fields };
}

async function warningOf(path: string, body: unknown): Promise<unknown> {
  return (await fixture.call(path, body)).warningMsg;
}

describe('fields that the API does not know', () => {
  it('are named with the nearest one that it does, and their values are not repeated', async () => {
    const response = await fixture.call(CREATE, newShare({ passwrod: 'open sesame' }));
    expect(response).toMatchObject({
      error: false,
      warningMsg: 'Unknown fields are ignored: passwrod (did you mean password?).',
    });
    expect(JSON.stringify(response)).not.toContain('sesame');
  });

  it.each([
    [{ expiration_time_secs: 60 }, 'expiration_time_secs (did you mean expirationTimeSecs?)'],
    [{ PASSWORD: 'x' }, 'PASSWORD (did you mean password?)'],
    [{ colour: 'blue' }, 'colour'],
    [{ constructor: 1, toString: 2 }, 'constructor, toString'],
    [JSON.parse('{"__proto__": {"password": "x"}}'), '__proto__'],
  ])('%j', async (fields, named) => {
    const body = JSON.stringify(newShare({})).slice(0, -1);
    const text = `${body},${JSON.stringify(fields).slice(1)}`;
    expect(await warningOf(CREATE, text)).toBe(`Unknown fields are ignored: ${named}.`);
  });

  it('cause no warning if they are null, which means absent', async () => {
    expect(await warningOf(CREATE, newShare({ passwrod: null }))).toBeUndefined();
  });

  it('are found at every depth, and named once for all entries of a list', async () => {
    const interval = { minuteOfWeekStart: 0, minuteOfWeekStop: 1, minuteOfWeekEnd: 1 };
    const schedule = {
      name: 'Night',
      intervalList: [{ ...interval, minuteOfWeekEnd: null }, interval, interval],
    };
    expect(
      await warningOf('/api/schedule/createWeeklySchedule', { schedule: { ...schedule, nmae: 'x' } }),
    ).toBe(
      'Unknown fields are ignored: schedule.intervalList[1].minuteOfWeekEnd (did you mean minuteOfWeekStop?), ' +
        'schedule.nmae (did you mean name?).',
    );
  });

  it('are also named in a refusal', async () => {
    const response = await fixture.call(CREATE, { camerUuid: fixture.own.camera.uuid });
    expect(response).toMatchObject({
      error: true,
      errorMsg: 'cameraUuid is required.',
      warningMsg: 'Unknown fields are ignored: camerUuid (did you mean cameraUuid?).',
    });
  });

  it('are named up to five, each shortened, without anything that a terminal or a page would interpret', async () => {
    const hostile = { '<script>\u001b[31m\u202e': 1, ['x'.repeat(100_000)]: 1 };
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`zz${index}`, 1]));
    const warning = await warningOf(CREATE, newShare({ ...hostile, ...many }));
    expect(warning).toBe(
      `Unknown fields are ignored: ?script???31m?, ${'x'.repeat(40)}…, zz0, zz1, zz2, and others.`,
    );
  });

  it('are named in the rows of a report', async () => {
    const row = {
      id: newRuuid(),
      deviceUuid: fixture.own.camera.uuid,
      timestampMs: 1,
      crossingObject: 'HUMAN',
      objectId: 1,
      direction: 'INGRESS',
    };
    const rows = [row, { ...row, id: newRuuid(), severty: 3 }, { ...row, id: newRuuid(), severty: 4 }];
    expect(await warningOf(CROSSINGS, { rows, rwos: [] })).toBe(
      'Unknown fields are ignored: rwos (did you mean rows?). Unknown fields are ignored: rows[1].severty.',
    );
  });
});
