import './page-address-fixture.ts';
import { describe, expect, it } from 'vitest';
import {
  isEmptyScope,
  isSameScope,
  type RightsPlaces,
  scopeText,
  sentScope,
  toggledScope,
} from './rights.ts';

const places: RightsPlaces = {
  sites: [
    { uuid: 'harbor', name: 'Harbor', cameraCount: 2 },
    { uuid: 'shop', name: 'Shop', cameraCount: 0 },
  ],
  cameras: [
    { uuid: 'gate', name: 'Gate', siteName: 'Harbor' },
    { uuid: 'till', name: 'Till', siteName: 'Shop' },
  ],
};
const scope = (locationUuids: readonly string[], cameraUuids: readonly string[] = []) => ({
  locationUuids,
  cameraUuids,
});

describe('what someone sees, in a list', () => {
  it.each([
    [undefined, 'Everything'],
    [scope([]), 'Nothing'],
    [scope(['harbor']), 'Harbor'],
    [scope(['shop'], ['gate']), 'Shop, Gate'],
    [scope(['shop', 'harbor'], ['till', 'gate']), 'Harbor, Shop, and 2 more'],
    // Sites and cameras that were removed have no name.
    [scope(['gone'], ['gone', 'till']), 'Till'],
    [scope(['gone']), 'Nothing'],
  ])('%j is %j', (limits, text) => {
    expect(scopeText(limits, places)).toBe(text);
  });
});

describe('the choice of sites and cameras', () => {
  it('begins with the whole organization, and one press limits it', () => {
    const limited = toggledScope(undefined, 'locationUuids', 'harbor', true);
    expect(limited).toEqual(scope(['harbor']));
    expect(toggledScope(limited, 'cameraUuids', 'gate', true)).toEqual(scope(['harbor'], ['gate']));
    expect(toggledScope(limited, 'locationUuids', 'harbor', false)).toEqual(scope([]));
    expect(toggledScope(limited, 'locationUuids', 'harbor', true)).toEqual(limited);
  });

  it('cannot be saved while it names nothing', () => {
    expect([undefined, scope([]), scope(['harbor']), scope([], ['gate'])].map(isEmptyScope)).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });

  it('is the same in any order', () => {
    expect(isSameScope(scope(['a', 'b']), scope(['b', 'a']))).toBe(true);
    expect(isSameScope(scope(['a']), scope([], ['a']))).toBe(false);
    expect(isSameScope(undefined, scope([]))).toBe(false);
  });

  it('is sent only if there is one', () => {
    expect([sentScope(undefined), sentScope(scope(['a']))]).toEqual([{}, { scope: scope(['a']) }]);
  });
});
