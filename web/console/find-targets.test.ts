import { expect, test } from 'vitest';
import {
  type Findable,
  type FindKind,
  findable,
  MAX_SHOWN,
  offered,
  search,
  withRecent,
} from './find-targets.ts';

const target = (kind: FindKind, title: string, more: object = {}): Findable =>
  findable({ kind, id: title, title, detail: '', href: `/console/${title}`, ...more });
const titles = (groups: ReturnType<typeof search>) =>
  groups.map(({ kind, targets }) => [kind, ...targets.map(({ title }) => title)]);

const ALL = [
  target('camera', 'Dock 10', { detail: 'Harbor' }),
  target('camera', 'Dock 2', { detail: 'Harbor' }),
  target('camera', 'Gate', { detail: 'Harbor' }),
  target('site', 'Harbor'),
  target('page', 'Cameras'),
  target('action', 'Add cameras', { alias: 'new' }),
  target('setting', 'Media URL', { detail: 'public.mediaUrl' }),
];

test('results are grouped, the group with the best one first, and numbers are in their order', () => {
  expect(titles(search(ALL, 'harbor'))).toEqual([
    ['site', 'Harbor'],
    ['camera', 'Gate', 'Dock 2', 'Dock 10'],
  ]);
  expect(titles(search(ALL, 'dock'))).toEqual([['camera', 'Dock 2', 'Dock 10']]);
  expect(titles(search(ALL, 'new camera'))).toEqual([['action', 'Add cameras']]);
  expect(search(ALL, 'nothing like it')).toEqual([]);
});

test('a long group says how many there are', () => {
  const many = Array.from({ length: 40 }, (_, i) => target('camera', `Hall ${i}`));
  const [group] = search(many, 'hall');
  expect(group).toMatchObject({ kind: 'camera', total: 40 });
  expect(group!.targets).toHaveLength(MAX_SHOWN);
});

test('without text, what was opened last is first, unless it is gone', () => {
  expect(titles(offered(ALL, ['camera:Gate', 'camera:Removed', 'site:Harbor']))).toEqual([
    [null, 'Gate', 'Harbor'],
    ['action', 'Add cameras'],
    ['page', 'Cameras'],
  ]);
  expect(titles(offered(ALL, []))[0]).toEqual(['action', 'Add cameras']);
});

test('what is opened again is the newest, and the list does not grow without end', () => {
  expect(withRecent(['a', 'b'], 'b')).toEqual(['b', 'a']);
  const many = Array.from({ length: 30 }, (_, i) => String(i)).reduce(withRecent, [] as readonly string[]);
  expect(many).toHaveLength(12);
  expect(many[0]).toBe('29');
});
