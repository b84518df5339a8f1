import { beforeEach, describe, expect, it } from 'vitest';
import type { LiveVerdict, SigningNews } from '../codec/media-signing/signing-watch.ts';
import { CHANGED_HOLD_MS, isAlarming, SigningMonitor, type SigningState } from './signing-state.ts';

const SIGNER = { subject: 'CN=Gate', issuer: 'CN=Maker', fingerprint: 'ab'.repeat(32) };
const VENDOR = { firmware: '1', serialNumber: 'B8', manufacturer: 'Maker' };

describe('SigningMonitor', () => {
  let changes: SigningState[];
  let monitor: SigningMonitor;
  beforeEach(() => {
    changes = [];
    monitor = new SigningMonitor((state) => changes.push(state));
  });

  function take(verdict: LiveVerdict, atEpochMs: number, more: Partial<SigningNews> = {}): void {
    const isSigned = verdict === 'signed' || verdict === 'incomplete' || verdict === 'changed';
    monitor.take({
      verdict,
      atEpochMs,
      reason: verdict === 'changed' ? 'units-changed' : null,
      trust: isSigned ? 'trusted' : 'unknown',
      signer: isSigned ? SIGNER : null,
      vendor: isSigned ? VENDOR : null,
      ...more,
    });
  }

  it('tells who signs since when, once, and keeps that while packets are lost now and then', () => {
    take('signed', 1_000);
    take('signed', 11_000);
    take('incomplete', 12_000);
    take('signed', 13_000);
    expect(changes.map(({ state, sinceEpochMs }) => [state, sinceEpochMs])).toEqual([
      ['signed', 1_000],
      ['incomplete', 1_000],
      ['signed', 1_000],
    ]);
    expect(changes[0]).toMatchObject({ signer: SIGNER, vendor: VENDOR, trust: 'trusted' });
  });

  it('shows a change for an hour, and then only when it was', () => {
    take('signed', 1_000);
    take('changed', 2_000);
    take('signed', 3_000);
    expect(monitor.state).toMatchObject({ state: 'changed', sinceEpochMs: 2_000, reason: 'units-changed' });
    expect(isAlarming(monitor.state)).toBe(true);
    take('signed', 2_000 + CHANGED_HOLD_MS);
    expect(monitor.state).toMatchObject({
      state: 'signed',
      changedAtEpochMs: 2_000,
      reason: null,
      sinceEpochMs: 2_000 + CHANGED_HOLD_MS,
    });
    expect(isAlarming(monitor.state)).toBe(false);
  });

  it('tells a camera that never signed from one that stopped, also on another connection', () => {
    take('none', 1_000);
    expect(monitor.state.state).toBe('none');
    expect(isAlarming(monitor.state)).toBe(false);
    take('signed', 2_000);
    monitor.reset();
    expect(monitor.state.state).toBe('unknown');
    take('none', 40_000);
    expect(monitor.state).toMatchObject({ state: 'stopped', sinceEpochMs: 40_000, signer: SIGNER });
    expect(isAlarming(monitor.state)).toBe(true);
    monitor.reset();
    expect(monitor.state.state).toBe('stopped');
    take('signed', 50_000);
    expect(monitor.state.state).toBe('signed');
  });

  it('reports another certificate', () => {
    take('signed', 1_000);
    take('signed', 2_000, { signer: { ...SIGNER, fingerprint: 'cd'.repeat(32) }, trust: 'untrusted' });
    expect(changes.map(({ trust }) => trust)).toEqual(['trusted', 'untrusted']);
  });
});
