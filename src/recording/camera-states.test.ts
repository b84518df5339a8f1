import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { RecordingStateName } from '../stream/media/recording-state.ts';
import { CameraStates } from './camera-states.ts';
import { EVERYTHING, NOTHING } from './recording-turn.ts';

function open() {
  const cameraUuid = newRuuid();
  const states = new CameraStates();
  const streams = (['main', 'sub'] as const).map((rendition) => {
    const stream = {
      stream: { cameraUuid, rendition },
      state: 'off' as RecordingStateName,
      code: null as string | null,
      wanted: NOTHING,
    };
    states.add(stream);
    return stream;
  });
  const [main, sub] = [streams[0]!, streams[1]!];
  const changed = () => states.changed(cameraUuid)?.state ?? null;
  return { states, main, sub, changed };
}

describe('the state of a camera', () => {
  it('is announced when any of its streams changes it, and not otherwise', () => {
    const { main, sub, changed } = open();
    expect(changed()).toBeNull();
    main.state = 'starting';
    expect(changed()).toBe('starting');
    sub.state = 'starting';
    expect(changed()).toBeNull();
    sub.state = 'recording';
    expect(changed()).toBe('recording');
    main.state = 'recording';
    expect(changed()).toBeNull();
    sub.state = 'off';
    expect(changed()).toBeNull();
    main.state = 'off';
    expect(changed()).toBe('off');
  });

  it('is that of the substream alone if the main stream is not recorded', () => {
    const { sub, states } = open();
    sub.state = 'recording';
    sub.wanted = EVERYTHING;
    expect(states.changed(sub.stream.cameraUuid)).toMatchObject({ state: 'recording', reasons: ['always'] });
  });

  it('is failed if one of its streams is', () => {
    const { main, sub, changed, states } = open();
    main.state = 'recording';
    expect(changed()).toBe('recording');
    Object.assign(sub, { state: 'failed', code: 'RECORDING_DISK_FULL' });
    expect(states.changed(sub.stream.cameraUuid)).toMatchObject({
      state: 'failed',
      code: 'RECORDING_DISK_FULL',
    });
  });
});
