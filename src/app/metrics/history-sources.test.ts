import { describe, expect, it, onTestFinished } from 'vitest';
import { EventLoopLateness, residentBytes } from './history-sources.ts';

describe('EventLoopLateness', () => {
  it('knows nothing before a timer has fired', () => {
    const lateness = new EventLoopLateness();
    onTestFinished(() => lateness.close());
    expect(lateness.p99Ms()).toBeNull();
  });
});

describe('residentBytes', () => {
  it('is what the process takes', () => {
    expect(residentBytes()).toBeGreaterThan(20_000_000);
  });
});
