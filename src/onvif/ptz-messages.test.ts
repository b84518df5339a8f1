import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { GatewayError } from '../core/errors.ts';
import {
  MAX_PRESETS,
  moveMessage,
  type PtzNode,
  readNodes,
  readPresets,
  readPresetToken,
  readStatus,
  setPreset,
} from './ptz-messages.ts';
import { descendant, parseXml, textOf, type XmlElement } from './xml-element.ts';

const SPACES = 'http://www.onvif.org/ver10/tptz';
const range = (name: string, min: number | string, max: number | string) =>
  `<${name}><Min>${min}</Min><Max>${max}</Max></${name}>`;
const area = (kind: string, uri: string, x = range('XRange', -1, 1), y = range('YRange', -1, 1)) =>
  `<${kind}><URI>${uri}</URI>${x}${y}</${kind}>`;
const nodesOf = (spaces: string, more = ''): PtzNode[] =>
  readNodes(
    parseXml(`<a><PTZNode token="n"><SupportedPTZSpaces>${spaces}</SupportedPTZSpaces>${more}</PTZNode></a>`),
  );

const GENERIC = `${SPACES}/PanTiltSpaces/VelocityGenericSpace`;
const DEGREES = `${SPACES}/PanTiltSpaces/SphericalPositionSpaceDegrees`;
const ZOOM = `${SPACES}/ZoomSpaces/VelocityGenericSpace`;
const [NODE] = nodesOf(
  [
    area('ContinuousPanTiltVelocitySpace', 'urn:vendor', range('XRange', -100, 100)),
    area('ContinuousPanTiltVelocitySpace', GENERIC),
    `<ContinuousZoomVelocitySpace><URI>${ZOOM}</URI>${range('XRange', -5, 7)}</ContinuousZoomVelocitySpace>`,
    area('AbsolutePanTiltPositionSpace', DEGREES, range('XRange', -180, 180), range('YRange', 0, 90)),
  ].join(''),
  '<MaximumNumberOfPresets>300</MaximumNumberOfPresets>',
);

/** The axes of a move, as the camera reads them. */
function axesIn({ body }: { readonly body: string }): Record<string, Record<string, string>> {
  const message: XmlElement = parseXml(body);
  return Object.fromEntries(
    ['PanTilt', 'Zoom'].flatMap((name) => {
      const attributes = descendant(message, name)?.attributes;
      if (attributes === undefined) return [];
      const axes = ['x', 'y', 'space'].flatMap((axis) => {
        const value = attributes.get(axis);
        return value === undefined ? [] : [[axis, value]];
      });
      return [[name, Object.fromEntries(axes)]];
    }),
  );
}

describe('readNodes', () => {
  it('prefers generic spaces, and leaves out what a camera does not have', () => {
    expect(NODE).toMatchObject({
      token: 'n',
      maxPresets: 300,
      panTilt: { CONTINUOUS: { uri: GENERIC }, RELATIVE: null, ABSOLUTE: { uri: DEGREES } },
      zoom: { CONTINUOUS: { x: { min: -5, max: 7 } }, RELATIVE: null, ABSOLUTE: null },
    });
  });

  it.each([
    ['an empty range', range('XRange', 1, 1)],
    ['no number', range('XRange', 'left', 1)],
    ['no range', ''],
    ['an infinite one', range('XRange', '-1e999', 1)],
  ])('leaves out a space with %s', (_what, x) => {
    const [node] = nodesOf(area('ContinuousPanTiltVelocitySpace', GENERIC, x));
    expect(node!.panTilt.CONTINUOUS).toBeNull();
  });

  it.each([
    ['1000000', MAX_PRESETS],
    ['-1', 0],
    ['many', 0],
    ['', 0],
  ])('takes %j presets as %d', (count, expected) => {
    expect(nodesOf('', `<MaximumNumberOfPresets>${count}</MaximumNumberOfPresets>`)[0]!.maxPresets).toBe(
      expected,
    );
  });
});

describe('moveMessage', () => {
  const move = (mode: 'CONTINUOUS' | 'ABSOLUTE', vector: object) =>
    axesIn(moveMessage('p', mode, NODE!, { pan: null, tilt: null, zoom: null, ...vector }, 3));

  it('scales speeds to the space of the camera, and names the space', () => {
    expect(move('CONTINUOUS', { pan: -0.5, zoom: 1 })).toEqual({
      PanTilt: { x: '-0.5', y: '0', space: GENERIC },
      Zoom: { x: '7', space: ZOOM },
    });
    expect(move('CONTINUOUS', { zoom: -0.1 })).toEqual({ Zoom: { x: '-0.5', space: ZOOM } });
    expect(move('CONTINUOUS', { tilt: -0 }).PanTilt).toMatchObject({ x: '0', y: '0' });
  });

  it('places positions in the range of the camera', () => {
    expect(move('ABSOLUTE', { pan: 0.5, tilt: -1 })).toEqual({
      PanTilt: { x: '90', y: '0', space: DEGREES },
    });
  });

  it('says when a continuous move ends, and escapes what it names', () => {
    const { body, action } = moveMessage('a<&"', 'CONTINUOUS', NODE!, { pan: 1, tilt: 0, zoom: null }, 3);
    const message = parseXml(body);
    expect([textOf(message, 'ProfileToken'), textOf(message, 'Timeout')]).toEqual(['a<&"', 'PT3S']);
    expect(action).toMatch(/ver20\/ptz\/wsdl\/ContinuousMove$/);
    expect(textOf(parseXml(setPreset('p', '</x>', null).body), 'PresetName')).toBe('</x>');
  });
});

describe('readStatus', () => {
  const status = (fields: string) => readStatus(parseXml(`<a><PTZStatus>${fields}</PTZStatus></a>`), NODE!);

  it.each([
    ['<PanTilt x="90" y="90"/>', { pan: 0.5, tilt: 1, zoom: null }],
    [`<PanTilt x="-180.4" y="0" space="${DEGREES}"/>`, { pan: -1, tilt: -1, zoom: null }],
    ['<PanTilt x="900" y="45"/>', { pan: null, tilt: 0, zoom: null }],
    ['<PanTilt x="1" y="1" space="urn:other"/>', null],
    ['<Zoom x="1"/>', null],
    ['', null],
  ])('reads the position %s', (position, expected) => {
    expect(status(`<Position>${position}</Position>`).position).toEqual(expected);
  });

  it.each([
    ['<PanTilt>IDLE</PanTilt><Zoom>IDLE</Zoom>', 'IDLE'],
    ['<PanTilt>IDLE</PanTilt><Zoom>moving</Zoom>', 'MOVING'],
    ['<PanTilt>IDLE</PanTilt><Zoom>UNKNOWN</Zoom>', 'UNKNOWN'],
    ['', 'UNKNOWN'],
  ])('reads the state %s', (moving, expected) => {
    expect(status(`<MoveStatus>${moving}</MoveStatus>`).moveStatus).toBe(expected);
  });

  it('knows nothing without an answer', () => {
    expect(readStatus(parseXml('<a/>'), NODE!)).toEqual({ position: null, moveStatus: 'UNKNOWN' });
  });
});

describe('readPresets', () => {
  it('keeps each once, with names in one line, up to a bound', () => {
    const preset = (token: string, name: string) => `<Preset token="${token}"><Name>${name}</Name></Preset>`;
    const listed = [preset('1', 'Ga\nte'), preset('1', 'again'), '<Preset/>', preset('2', '')];
    expect(readPresets(parseXml(`<a>${listed.join('')}</a>`))).toEqual([
      { token: '1', name: 'Ga te' },
      { token: '2', name: '' },
    ]);
    const many = Array.from({ length: MAX_PRESETS + 5 }, (_, index) => preset(`${index}`, 'x')).join('');
    expect(readPresets(parseXml(`<a>${many}</a>`))).toHaveLength(MAX_PRESETS);
  });
});

describe('what a camera answers about its moves', () => {
  it('is read or refused, whatever it is', () => {
    const name = fc.constantFrom(
      'PTZNode',
      'SupportedPTZSpaces',
      'PTZStatus',
      'Position',
      'PanTilt',
      'Preset',
      'Min',
    );
    const kind = fc.constantFrom(
      'ContinuousPanTiltVelocitySpace',
      'AbsoluteZoomPositionSpace',
      'XRange',
      'Max',
      'URI',
    );
    const text = fc.oneof(fc.double().map(String), fc.constantFrom('', 'x', 'NaN', '1e9', '-0'));
    const element = (inner: fc.Arbitrary<string[]>) =>
      fc
        .tuple(fc.oneof(name, kind), text, inner)
        .map(
          ([tag, value, within]) =>
            `<${tag} token="${value}" x="${value}">${value}${within.join('')}</${tag}>`,
        );
    let tree = element(fc.constant([]));
    for (let depth = 0; depth < 4; depth += 1) tree = element(fc.array(tree, { maxLength: 3 }));
    fc.assert(
      fc.property(tree, (xml) => {
        try {
          const body = parseXml(`<Body>${xml}</Body>`);
          const [node = NODE!] = readNodes(body);
          const { position } = readStatus(body, node);
          for (const value of Object.values(position ?? {})) {
            if (value !== null) expect(Math.abs(value)).toBeLessThanOrEqual(1);
          }
          const { body: sent } = moveMessage('p', 'CONTINUOUS', node, { pan: 1, tilt: -1, zoom: 0.5 }, 1);
          expect(sent).not.toMatch(/NaN|Infinity/);
          readPresets(body);
          readPresetToken(body);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(GatewayError);
        }
      }),
      randomRuns(1_000),
    );
  });
});
