import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { frame, Rig, SDP } from './client-session-fixture.ts';
import type { RtspHeaderField } from './headers.ts';
import { writeRequest } from './message-writer.ts';

describe('keep-alive', () => {
  it('is GET_PARAMETER at half the timeout', () => {
    const rig = new Rig().play();
    expect(rig.session.wakeAtMonoMs).toBe(10_000);
    rig.session.wake(9_999);
    expect(rig.newest.method).toBe('PLAY');
    rig.session.wake(10_000);
    expect(rig.newest).toMatchObject({ method: 'GET_PARAMETER', uri: 'rtsp://cam/live/' });
    expect(rig.newest.headers.get('Session')).toBe('77');
    expect(rig.session.wakeAtMonoMs).toBe(20_000);
  });

  it('is OPTIONS when the camera does not list GET_PARAMETER, every 30 s without a timeout', () => {
    const rig = new Rig();
    rig.answer(200, [['Public', 'OPTIONS, DESCRIBE']]);
    rig.answer(200, [], SDP);
    for (let index = 0; index < 3; index++) rig.answer(200, [['Session', '1']]);
    expect(rig.session.wakeAtMonoMs).toBe(30_000);
    rig.session.wake(30_000);
    expect(rig.newest.method).toBe('OPTIONS');
  });

  it.each([
    ['1', 1_000],
    ['3600', 30_000],
  ])('stays within its bounds with a timeout of %s', (timeout, expectedMs) => {
    const rig = new Rig().runTo('SETUP');
    for (let index = 0; index < 3; index++) rig.answer(200, [['Session', `1;timeout=${timeout}`]]);
    expect(rig.session.wakeAtMonoMs).toBe(expectedMs);
  });

  it('switches to OPTIONS when GET_PARAMETER is refused', () => {
    const rig = new Rig().play();
    rig.session.wake(10_000);
    rig.answer(451);
    rig.session.wake(20_000);
    expect(rig.newest.method).toBe('OPTIONS');
  });

  it('ends the session when the camera no longer knows it', () => {
    const rig = new Rig().play();
    rig.session.wake(10_000);
    rig.answer(454);
    expect(rig.events.at(-1)).toBe('failed RTSP_SESSION_LOST');
  });

  it('may be answered late and out of order', () => {
    const rig = new Rig().play();
    for (let index = 1; index <= 20; index++) rig.session.wake(index * 10_000);
    const cseqs = rig.requests.slice(-3).map(({ headers }) => headers.get('CSeq')!);
    for (const cseq of cseqs.reverse()) rig.answer(200, [], '', cseq);
    rig.push(frame(0, 'on'));
    expect(rig.events.at(-1)).toBe('rtp 0 on');
  });
});

describe('a request of the camera', () => {
  it.each([
    ['OPTIONS', 200],
    ['GET_PARAMETER', 200],
    ['SET_PARAMETER', 200],
    ['ANNOUNCE', 200],
    ['RECORD', 501],
  ])('%s is answered %i', (method, statusCode) => {
    const rig = new Rig().play();
    rig.push(
      writeRequest(
        method,
        '*',
        [
          ['CSeq', '41'],
          ['Session', '77'],
        ],
        'x',
      ),
    );
    expect(rig.responses).toHaveLength(1);
    expect(rig.responses[0]!.statusCode).toBe(statusCode);
    expect(rig.responses[0]!.headers.get('CSeq')).toBe('41');
    expect(rig.events.at(-1)).toBe('playing');
  });

  it('TEARDOWN is answered and ends the session permanently', () => {
    const rig = new Rig().play();
    rig.push(writeRequest('TEARDOWN', 'rtsp://cam/live', [['CSeq', '1']]));
    expect(rig.responses[0]!.statusCode).toBe(200);
    expect(rig.events.at(-1)).toBe('failed RTSP_ENDED_BY_CAMERA');
    expect(rig.session.teardown()).toBe(false);
  });
});

describe('the end', () => {
  it('is TEARDOWN, after which only its response counts', () => {
    const rig = new Rig().play();
    expect(rig.session.teardown()).toBe(true);
    rig.push(Buffer.concat([frame(0, 'late'), Buffer.from('RTSP/1.0 200 OK\r\nCSeq: 4\r\n\r\n')]));
    rig.answer(200);
    rig.push(Buffer.from('garbage \0'));
    expect(rig.events).toEqual(['ready', 'playing', 'torn down']);
    expect(rig.session.wakeAtMonoMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('does not need TEARDOWN before SETUP', () => {
    const rig = new Rig().runTo('DESCRIBE');
    expect(rig.session.teardown()).toBe(false);
    expect(rig.newest.method).toBe('DESCRIBE');
  });

  it('is reported when a step takes too long', () => {
    const rig = new Rig().runTo('DESCRIBE');
    expect(rig.session.wakeAtMonoMs).toBe(1_000);
    rig.session.wake(1_000);
    expect(rig.error).toMatchObject({
      code: 'RTSP_TIMEOUT',
      context: { method: 'DESCRIBE', isWholeHandshake: false },
    });
  });

  it('is reported when the steps together take too long', () => {
    const rig = new Rig();
    rig.transport = 'none';
    rig.nowMonoMs = 900;
    rig.answer(200);
    rig.nowMonoMs = 1_800;
    rig.answer(200, [], SDP);
    expect(rig.session.wakeAtMonoMs).toBe(3_000);
    rig.session.wake(3_000);
    expect(rig.error).toMatchObject({ code: 'RTSP_TIMEOUT', context: { isWholeHandshake: true } });
  });

  it('is reported when the framing is lost', () => {
    const rig = new Rig().play();
    rig.push(Buffer.concat([frame(0, 'good'), Buffer.from([0]), frame(0, 'never read')]));
    expect(rig.events.slice(2)).toEqual(['rtp 0 good', 'failed RTSP_FRAMING']);
  });

  it('is reported when an event fails, once', () => {
    const rig = new Rig().play();
    rig.onRtp = () => {
      throw new TypeError('defect');
    };
    rig.push(Buffer.concat([frame(0, 'a'), frame(0, 'b')]));
    expect(rig.events.slice(2)).toEqual(['failed INTERNAL']);
  });

  it('is reported once and with a code, whatever the camera sends', () => {
    const status = fc.constantFrom(200, 200, 200, 301, 401, 404, 454, 461, 503, 100);
    const field = fc.constantFrom<RtspHeaderField>(
      ['WWW-Authenticate', 'Digest nonce="a"'],
      ['WWW-Authenticate', 'Digest nonce="b", stale=true'],
      ['Location', 'rtsp://b/'],
      ['Transport', 'RTP/AVP/TCP;interleaved=0-1'],
      ['Transport', 'RTP/AVP;multicast'],
      ['Session', '1;timeout=1'],
      ['CSeq', '1'],
    );
    const responses = fc.array(
      fc.tuple(status, fc.array(field, { maxLength: 3 }), fc.boolean(), fc.string()),
      {
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(responses, (list) => {
        const rig = new Rig();
        list.forEach(([statusCode, fields, isSdp, junk], index) => {
          rig.answer(statusCode, fields, isSdp ? SDP : junk);
          rig.session.wake(index * 500);
        });
        rig.session.teardown();
        const ends = rig.events.filter((event) => /^(failed|redirect)/.test(event));
        expect(ends.length).toBeLessThanOrEqual(1);
        expect(ends).not.toContain('failed INTERNAL');
      }),
      randomRuns(300),
    );
  });
});
