import './page-address-fixture.ts';
import { expect, it } from 'vitest';
import { csvOfCameras, type Inventory, type KnownCamera, type PlannedRow, planOfCsv } from './camera-csv.ts';

const camera = (uuid: string, name: string, mainUrl: string, more: Partial<KnownCamera> = {}) =>
  ({
    uuid,
    name,
    declared: false,
    pushed: false,
    source: { mainUrl, username: 'admin', hasPassword: true },
    ...more,
  }) as KnownCamera;
const INVENTORY: Inventory = {
  cameras: [
    camera('u1', 'Dock', 'rtsp://192.0.2.10/main', { locationUuid: 'harbor' }),
    camera('u2', '=cmd()', 'rtsp://192.0.2.11/main', { declared: true }),
  ],
  sites: [
    { uuid: 'harbor', name: 'Harbor' },
    { uuid: 'twin', name: 'Twin' },
    { uuid: 'twin2', name: 'twin' },
  ],
  nvrs: [{ uuid: 'core', name: 'Core' }],
};

function plan(...lines: readonly string[]): readonly PlannedRow[] {
  const planned = planOfCsv(lines.join('\n'), INVENTORY);
  if (typeof planned === 'string') throw new Error(planned);
  return planned;
}

it('writes no login and no formula, and reads itself without a change', () => {
  const text = csvOfCameras(INVENTORY);
  expect(text).not.toContain('admin');
  expect(text).toContain(`"'=cmd()"`);
  expect(plan(text).map(({ kind }) => kind)).toEqual(['same', 'same']);
});

it('creates with what the columns say, the login apart from the address', () => {
  const [row] = plan(
    'Name;Site;NVR;Address;Substream;Password;Username',
    'Yard;harbor;CORE;rtsp://192.0.2.20/main;rtsp://192.0.2.20/sub;p@ss;admin',
  );
  expect(row).toMatchObject({
    kind: 'create',
    line: 2,
    source: {
      mainUrl: 'rtsp://192.0.2.20/main',
      substreamUrl: 'rtsp://192.0.2.20/sub',
      username: 'admin',
      password: 'p@ss',
    },
    place: { name: 'Yard', locationUuid: 'harbor', nvrUuid: 'core' },
  });
  const [pasted] = plan('name,address', 'Yard,rtsp://admin:se@cret@192.0.2.21/main');
  expect(pasted).toMatchObject({
    source: { mainUrl: 'rtsp://192.0.2.21/main', username: 'admin', password: 'se@cret' },
  });
});

it('changes names and places of cameras that exist, and nothing for empty cells', () => {
  const [renamed, moved] = plan('uuid,name,site,nvr', 'u1,Dock 2,,Core', 'u1,Dock,Harbor,');
  expect(renamed).toMatchObject({
    kind: 'change',
    cameraUuid: 'u1',
    changes: { name: 'Dock 2', nvrUuid: 'core' },
  });
  expect(moved).toMatchObject({ kind: 'same' });
});

it.each([
  ['name,address', ',rtsp://192.0.2.20/x', 'It has no name.'],
  ['name,address', 'Yard,', 'A new camera needs an address.'],
  ['name,address', 'Yard,rtsp:///x', 'This is not an address.'],
  ['name,address', 'Yard,rtsp://admin:x@192.0.2.10:554/main', 'Dock has this address already.'],
  ['name,address,site', 'Yard,rtsp://192.0.2.20/x,Moon', 'There is no site “Moon”.'],
  ['name,address,site', 'Yard,rtsp://192.0.2.20/x,TWIN', 'There are several of the name “TWIN”.'],
  ['name,address,nvr', 'Yard,rtsp://192.0.2.20/x,Moon', 'There is no NVR “Moon”.'],
  ['name,uuid', 'Yard,nobody', 'There is no camera with this uuid. Leave it empty to create one.'],
  ['name,uuid', 'Other,u2', 'The configuration file declares this camera. Change it there.'],
])('with the columns %s, refuses %s', (columns, line, sentence) => {
  expect(plan(columns, line)).toMatchObject([{ kind: 'error', line: 2, sentence }]);
});

it('refuses the second camera of one address, by line', () => {
  const address = 'rtsp://192.0.2.20/x';
  const [first, second] = plan('name,address', `A,${address}`, `B,${address}`);
  expect([first!.kind, second]).toMatchObject([
    'create',
    { kind: 'error', sentence: 'Line 2 has the same address.' },
  ]);
});

it.each([
  ['', 'The file is empty.'],
  ['site\nHarbor', /“name” is missing/],
  ['name,color\nYard,red', /^There is no column “color”/],
  [`name\n${'x\n'.repeat(2_001)}`, 'At most 2000 cameras can be imported at once.'],
])('says why it can read nothing of %j', (text, reason) => {
  expect(planOfCsv(text, INVENTORY)).toEqual(
    typeof reason === 'string' ? reason : expect.stringMatching(reason),
  );
});
