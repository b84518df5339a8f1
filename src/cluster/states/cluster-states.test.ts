import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { CameraNotice } from '../../devices/camera-notices.ts';
import { reportOf } from '../../stream/camera-report-fixture.ts';
import { StreamHub } from '../../stream/hub.ts';
import type { RecordingState } from '../../stream/media/recording-state.ts';
import type { CameraRole } from '../../stream/numbering/camera-ownership.ts';
import { UNKNOWN_SIGNING } from '../../stream/signing-state.ts';
import type { Source } from '../../stream/source/source.ts';
import type { MessageHandler, NodeLink } from '../links/node-link.ts';
import { packed } from '../mirror/mirror-messages.ts';
import { ClusterStates } from './cluster-states.ts';
import { type CameraFacts, type CameraWord, STATES } from './state-messages.ts';

const CLOSED: Source = { engine: 'none', open: () => ({ close: async () => undefined }) };
const CAMERA = newRuuid();
const ORG = newRuuid();
const OTHER_NODE = { nodeId: 'b', runId: newRuuid() };
const RECORDING: RecordingState = { state: 'recording', code: null, reasons: ['always'], isForbidden: false };
const STANDBY: RecordingState = { ...RECORDING, state: 'standby' };

describe('ClusterStates', () => {
  let hub: StreamHub;
  let states: ClusterStates;
  let lease: { role: CameraRole | null; fence: number };
  let notices: CameraNotice[];
  let link: NodeLink;
  let said: MessageHandler;

  beforeEach(() => {
    const clock = new FakeClock();
    lease = { role: null, fence: 0 };
    notices = [];
    link = { peer: OTHER_NODE, ended: null } as unknown as NodeLink;
    states = new ClusterStates({
      links: {
        onMessage: (kind, handler) => {
          if (kind === STATES.said) said = handler;
        },
        onRequest: () => undefined,
        onLink: () => undefined,
        onClosed: () => undefined,
      },
      runId: newRuuid(),
      clock,
      log: silentLog,
      leaseOf: () => lease,
      placedHere: () => [],
    });
    hub = new StreamHub({
      clock,
      log: silentLog,
      idleStopMs: 1_000,
      onStatusChange: () => undefined,
      limits: { backoffMinMs: 1, backoffMaxMs: 1, startMs: 1_000, silenceMs: 1_000 },
      numberingStore: { find: async () => null, save: async () => undefined },
      createPackager: () => {
        throw new Error('no one watches');
      },
      onReport: (cameraUuid, report) => states.report(cameraUuid, report),
      onCamera: (cameraUuid, change) => states.camera(cameraUuid, change),
    });
    states.begin({
      notify: (notice) => notices.push(notice),
      hub: () => hub,
      takeProbe: async (_org, cameraUuid, verdict) => {
        hub.get(cameraUuid)?.probed(verdict);
        return hub.get(cameraUuid)?.report() ?? null;
      },
    });
    hub.put({ uuid: CAMERA, fingerprint: '', main: CLOSED, sub: null });
    notices.length = 0;
  });
  afterEach(async () => {
    states.exchange.close();
    await hub.close();
  });

  function hear(word: CameraWord | null): void {
    said({ link, kind: STATES.said, body: null, bytes: [packed([[CAMERA, word]])] });
  }
  const reports = () =>
    notices.flatMap((notice) =>
      notice.kind === 'camera' ? [[notice.report?.main.state, notice.isObserved]] : [],
    );
  const shown = () => states.now().cameras.map(({ report, isObserved }) => [report.main.state, isObserved]);

  it('shows what the node says that pulls the camera, as something that it did not see', () => {
    hear(wordOf(3, 'live'));
    hear(wordOf(3, 'offline'));
    expect(reports()).toEqual([
      ['live', false],
      ['offline', false],
    ]);
    expect(shown()).toEqual([['offline', false]]);
    hear(null);
    expect(reports().at(-1)).toEqual(['not-checked', false]);
    expect(shown()).toEqual([['not-checked', false]]);
  });

  it('knows a camera as the node that speaks for it sees it, so that no other node checks it', async () => {
    expect(states.seen(CAMERA)?.main.state).toBe('not-checked');
    hear(wordOf(3, 'live'));
    expect(states.seen(CAMERA)?.main.state).toBe('live');
    hear(null);
    await states.probed(ORG, CAMERA, { fault: null });
    expect(states.seen(CAMERA)?.main.state).toBe('reachable');
    expect(states.seen(newRuuid())).toBeNull();
  });

  it('does not take its own waiting for another node as a state of the camera', () => {
    states.report(CAMERA, reportOf('offline'));
    expect(notices).toEqual([]);
    hear(wordOf(3, 'live'));
    lease = { role: 'mirror', fence: 0 };
    states.report(CAMERA, reportOf('offline'));
    expect(shown()).toEqual([['live', false]]);
  });

  it('says what it sees while it owns the camera, and until another node does', () => {
    hear(wordOf(3, 'live'));
    lease = { role: 'owner', fence: 4 };
    states.roleChanged(CAMERA, 'owner');
    states.report(CAMERA, reportOf('offline'));
    expect(reports().at(-1)).toEqual(['offline', true]);
    hear(wordOf(3, 'live'));
    expect(shown()).toEqual([['offline', true]]);

    lease = { role: null, fence: 0 };
    states.roleChanged(CAMERA, null);
    expect(states.exchange.speakerOf(CAMERA)?.word).toMatchObject({ fence: 4, isOwner: false });
    states.report(CAMERA, reportOf('idle'));
    expect(shown()).toEqual([['reachable', true]]);
    hear(wordOf(5, 'live'));
    states.report(CAMERA, reportOf('offline'));
    expect(shown()).toEqual([['live', false]]);
    expect(states.isOwnedElsewhere(CAMERA)).toBe(true);
  });

  it('speaks for a camera that was probed here, until a node owns it', async () => {
    const probed = await states.probed(ORG, CAMERA, { fault: null });
    expect([probed?.report.main.state, probed?.isObserved]).toEqual(['reachable', true]);
    expect(states.exchange.speakerOf(CAMERA)).toMatchObject({ run: null, word: { fence: 0 } });
    hear(wordOf(1, 'live'));
    expect(shown()).toEqual([['live', false]]);
    expect(await states.probed(ORG, newRuuid(), { fault: null })).toBeNull();
  });

  it('hands a probe to the node that speaks for the camera, or keeps it if that cannot be reached', async () => {
    hear(wordOf(2, 'idle'));
    const requested: Ruuid[] = [];
    let isThere = true;
    const registry = { nodes: () => [], find: () => null, onChange: () => () => undefined };
    states.exchange.begin(registry, async ({ runId }) => {
      requested.push(runId);
      if (!isThere) throw new Error('not there');
      return { request: async () => ({ body: reportOf('offline'), bytes: [] }) } as unknown as NodeLink;
    });
    const probed = await states.probed(ORG, CAMERA, { fault: null });
    expect([probed?.report.main.state, probed?.isObserved]).toEqual(['offline', false]);
    isThere = false;
    // Its own word has no fence: what the other node said stands.
    expect((await states.probed(ORG, CAMERA, { fault: null }))?.isObserved).toBe(false);
    expect(requested).toEqual([OTHER_NODE.runId, OTHER_NODE.runId]);
  });

  it('shows the recording of the node that owns the camera, and its own plan without one', () => {
    states.recording(CAMERA, STANDBY);
    expect(states.now().cameraRecordings).toEqual([[CAMERA, STANDBY]]);
    hear(wordOf(2, 'live', { recording: RECORDING }));
    expect(states.now().cameraRecordings).toEqual([[CAMERA, RECORDING]]);
    expect(notices.at(-1)).toEqual({ kind: 'recording', cameraUuid: CAMERA, recording: RECORDING });
    hear({ ...wordOf(2, 'live', { recording: RECORDING }), isOwner: false });
    expect(states.now().cameraRecordings).toEqual([[CAMERA, STANDBY]]);
  });

  it('shows what the node that owns the camera finds in its signatures; an older node says nothing', () => {
    const signing = { ...UNKNOWN_SIGNING, state: 'changed', sinceEpochMs: 5, changedAtEpochMs: 5 } as const;
    hear(wordOf(2, 'live', { signing }));
    expect(states.now().cameraSignings).toEqual([[CAMERA, signing]]);
    expect(notices).toContainEqual({ kind: 'signing', cameraUuid: CAMERA, signing });
    hear(wordOf(3, 'live'));
    expect(states.now().cameraSignings).toEqual([[CAMERA, UNKNOWN_SIGNING]]);
    // Another node owns the camera: what this one sees of it does not count.
    states.signing(CAMERA, signing);
    expect(states.now().cameraSignings).toEqual([[CAMERA, UNKNOWN_SIGNING]]);
  });

  it('forgets a camera that is removed', () => {
    hear(wordOf(2, 'live'));
    hub.remove(CAMERA);
    expect(notices.at(-1)).toEqual({ kind: 'camera', cameraUuid: CAMERA, report: null, isObserved: true });
    expect(states.exchange.speakerOf(CAMERA)).toBeNull();
  });
});

function wordOf(
  fence: number,
  state: Parameters<typeof reportOf>[0],
  facts: Partial<CameraFacts> = {},
): CameraWord {
  return {
    fence,
    isOwner: true,
    facts: {
      report: reportOf(state),
      sound: { state: 'live', encoding: null, isAlone: false },
      clock: null,
      recording: null,
      ...facts,
    },
  };
}
