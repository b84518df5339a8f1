import { describe, expect, it } from 'vitest';
import type { Track } from '../codec/track.ts';
import { SoundMonitor } from './sound-state.ts';

const VIDEO = { kind: 'video' } as Track;
const AUDIO = { kind: 'audio' } as Track;

function watched() {
  const changes: string[] = [];
  const monitor = new SoundMonitor(({ state, encoding }) =>
    changes.push(encoding === null ? state : `${state} ${encoding}`),
  );
  /** Units of these tracks, a hundred milliseconds apart. */
  const units = (fromMs: number, toMs: number, ...indices: number[]) => {
    for (let ms = fromMs; ms < toMs; ms += 100) for (const index of indices) monitor.unit(index, ms);
  };
  return { monitor, changes, units };
}

describe('SoundMonitor', () => {
  it('says live while audio arrives, silent when it has stopped, each once', () => {
    const { monitor, changes, units } = watched();
    monitor.offer({ kind: 'announced' });
    monitor.tracks([VIDEO, AUDIO]);
    units(0, 5_000, 0, 1);
    units(5_000, 7_500, 0);
    expect(changes).toEqual(['live']);
    units(7_500, 20_000, 0);
    units(20_000, 21_000, 0, 1);
    expect(changes).toEqual(['live', 'silent', 'live']);
  });

  it('says silent for a microphone that is off, and nothing before that is known', () => {
    const { monitor, changes, units } = watched();
    monitor.tracks([VIDEO, AUDIO]);
    units(90_000, 92_900, 0);
    expect([monitor.state.state, changes]).toEqual(['unknown', []]);
    units(92_900, 100_000, 0);
    expect(changes).toEqual(['silent']);
  });

  it('says that audio waits for a worker, until it arrives', () => {
    const { monitor, changes, units } = watched();
    monitor.offer({ kind: 'announced' });
    monitor.tracks([VIDEO, AUDIO]);
    units(0, 1_000, 0);
    monitor.offer({ kind: 'waiting' });
    units(1_000, 30_000, 0);
    monitor.offer({ kind: 'announced' });
    units(30_000, 31_000, 0, 1);
    expect(changes).toEqual(['waiting', 'silent', 'live']);
  });

  it('names an unsupported encoding, and a camera without audio', () => {
    const { monitor, changes } = watched();
    monitor.offer({ kind: 'unsupported', encoding: 'g729' });
    monitor.tracks([VIDEO]);
    expect(changes).toEqual(['unsupported g729']);
    monitor.reset();
    expect(monitor.state.state).toBe('unknown');
    monitor.tracks([VIDEO]);
    expect(changes).toEqual(['unsupported g729', 'unknown', 'none']);
  });
});
