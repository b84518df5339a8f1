import { describe, expect, it } from 'vitest';
import { integerOption, listenOption, sizeOption } from './option-values.ts';

const refusal = (fn: () => unknown) => {
  try {
    fn();
  } catch (error) {
    return (error as { context: Record<string, unknown> }).context;
  }
  return null;
};

describe('option values', () => {
  it('reads listen addresses', () => {
    expect(listenOption('127.0.0.1:8554')).toEqual(['127.0.0.1', 8554]);
    expect(listenOption('[::1]:0')).toEqual(['::1', 0]);
    for (const wrong of ['8554', ':8554', 'host:', 'host:70000', '::1:80']) {
      expect(refusal(() => listenOption(wrong))).toMatchObject({ option: '--listen', value: wrong });
    }
  });

  it('reads picture sizes', () => {
    expect(sizeOption('1920x1080')).toEqual([1920, 1080]);
    for (const wrong of ['1920', '1921x1080', '0x0', '20x20', '99999x10']) {
      expect(refusal(() => sizeOption(wrong))).toMatchObject({ option: '--size', value: wrong });
    }
  });

  it('reads whole numbers within limits', () => {
    expect(integerOption('--fps', '25', 1, 60)).toBe(25);
    for (const wrong of ['0', '61', '2.5', '-1', '', 'many']) {
      expect(refusal(() => integerOption('--fps', wrong, 1, 60))).toMatchObject({ option: '--fps' });
    }
  });
});
