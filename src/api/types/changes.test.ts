import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { flag, text } from '../../http/fields/field-types.ts';
import { changes } from './changes.ts';

const CHANGES = changes({ title: Type.Optional(text('Its title.')), hidden: Type.Optional(flag('Hidden.')) });

describe('a change by flags', () => {
  it('has a flag after each field', () => {
    expect(Object.keys(CHANGES.properties)).toEqual(['title', 'titleUpdated', 'hidden', 'hiddenUpdated']);
    expect(Type.Object(CHANGES.properties).required ?? []).toEqual([]);
  });

  it('applies the fields whose flag is true, and clears those without a value', () => {
    expect(CHANGES.applied({ title: 'Dock', titleUpdated: true, hiddenUpdated: true })).toEqual({
      title: 'Dock',
      hidden: null,
    });
    expect(CHANGES.applied({ title: 'Dock', titleUpdated: false, hidden: true })).toEqual({});
  });
});
