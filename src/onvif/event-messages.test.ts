import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { GatewayError } from '../core/errors.ts';
import { activityOf } from './activity.ts';
import {
  readCapabilities,
  readDeviceInformation,
  readServices,
  readSystemTimeMs,
} from './device-messages.ts';
import { readProbeMatches } from './discovery-messages.ts';
import { type OnvifNotification, readNotifications, readSubscription } from './event-messages.ts';
import { readOverlays, readProfiles, readUri } from './media-messages.ts';
import { readSoapBody } from './soap.ts';
import { escapeXml, parseXml } from './xml-element.ts';

/** As Tapo's C545D writes it (opensensor/lightNVR#333). */
const TAPO = `<SOAP-ENV:Envelope xmlns:SOAP-ENV="http://www.w3.org/2003/05/soap-envelope"><SOAP-ENV:Body>
  <tev:PullMessagesResponse><tev:CurrentTime>2026-03-25T10:00:00Z</tev:CurrentTime>
  <wsnt:NotificationMessage><wsnt:Topic Dialect="http://www.onvif.org/ver10/tev/topicExpression/ConcreteSet">
    tns1:RuleEngine/CellMotionDetector/Motion</wsnt:Topic><wsnt:Message>
    <tt:Message UtcTime="2026-03-25T10:00:00Z" PropertyOperation="Changed"><tt:Source>
      <tt:SimpleItem Name="VideoSourceConfigurationToken" Value="vsconf"/><tt:SimpleItem Name="Rule" Value="MyRule"/>
    </tt:Source><tt:Data><tt:SimpleItem Name="IsMotion" Value="true"/></tt:Data></tt:Message></wsnt:Message>
  </wsnt:NotificationMessage></tev:PullMessagesResponse></SOAP-ENV:Body></SOAP-ENV:Envelope>`;

/** As Axis names subscriptions. */
const AXIS = `<r><tev:SubscriptionReference><wsa5:Address>http://192.0.2.9/onvif/services</wsa5:Address>
  <wsa5:ReferenceParameters><dom0:SubscriptionId xmlns:dom0="http://www.axis.com/2009/event">7</dom0:SubscriptionId>
  <odd:Nested xmlns:odd="o"><x/></odd:Nested></wsa5:ReferenceParameters></tev:SubscriptionReference></r>`;

const notification = (
  topic: string,
  data: Record<string, string>,
  operation: OnvifNotification['operation'],
) => ({
  topic,
  operation,
  source: 'a=b',
  data: new Map(Object.entries(data)),
});

describe('readNotifications', () => {
  it('reads topics without their prefixes, and what is about which source', () => {
    expect(readNotifications(readSoapBody(TAPO))).toEqual([
      {
        topic: 'RuleEngine/CellMotionDetector/Motion',
        operation: 'Changed',
        source: 'VideoSourceConfigurationToken=vsconf,Rule=MyRule',
        data: new Map([['IsMotion', 'true']]),
      },
    ]);
  });

  it('reads no more than the request allows', () => {
    const message =
      '<N:NotificationMessage><Topic>a/b</Topic><Message><Message/></Message></N:NotificationMessage>';
    expect(readNotifications(parseXml(`<a>${message.repeat(500)}</a>`))).toHaveLength(128);
  });

  it.each([
    '<a/>',
    '<a><NotificationMessage/></a>',
    '<a><NotificationMessage><Topic>x</Topic></NotificationMessage></a>',
  ])('leaves out %s', (xml) => expect(readNotifications(parseXml(xml))).toEqual([]));
});

describe('readSubscription', () => {
  it('keeps what must come back, written anew', () => {
    expect(readSubscription(parseXml(AXIS))).toEqual({
      address: 'http://192.0.2.9/onvif/services',
      parameters: '<SubscriptionId xmlns="http://www.axis.com/2009/event">7</SubscriptionId>',
    });
  });

  it('is null without an address', () => {
    expect(readSubscription(parseXml('<a><SubscriptionReference/></a>'))).toBeNull();
  });

  it('gives back nothing that changes the message', () => {
    const odd = escapeXml('</a><b>&"');
    const xml = `<a><SubscriptionReference><Address>h</Address><ReferenceParameters><p:I xmlns:p="${odd}">${odd}</p:I>`;
    const { parameters } = readSubscription(
      parseXml(`${xml}</ReferenceParameters></SubscriptionReference></a>`),
    )!;
    const back = parseXml(`<r>${parameters}</r>`).children;
    expect(back.map(({ name, namespace, text }) => [name, namespace, text])).toEqual([
      ['I', '</a><b>&"', '</a><b>&"'],
    ]);
  });
});

describe('activityOf', () => {
  it.each<[string, string, string, string]>([
    ['RuleEngine/CellMotionDetector/Motion', 'IsMotion', 'motion', 'ONVIF Analytics'],
    ['VideoSource/MotionAlarm', 'State', 'motion', 'ONVIF Imaging'],
    ['RuleEngine/MotionRegionDetector/Motion', 'State', 'motion', 'ONVIF Analytics'],
    ['RuleEngine/MyRuleDetector/PeopleDetect', 'State', 'person', 'Reolink'],
    ['RuleEngine/MyRuleDetector/VehicleDetect', 'State', 'vehicle', 'Reolink'],
    ['RuleEngine/MyRuleDetector/DogCatDetect', 'State', 'animal', 'Reolink'],
    ['RuleEngine/PeopleDetector/People', 'IsPeople', 'person', 'Tapo'],
    ['RuleEngine/CellMotionDetector/People', 'IsPeople', 'person', 'Tapo by webhook'],
    ['RuleEngine/TPSmartEventDetector/TPSmartEvent', 'IsVehicle', 'vehicle', 'Tapo'],
    ['RuleEngine/TamperDetector/Tamper', 'IsTamper', 'tamper', 'Tapo'],
    ['VideoSource/GlobalSceneChange/ImagingService', 'State', 'tamper', 'Hikvision'],
  ])('reads %s with %s as %s (%s)', (topic, item, kind) => {
    for (const [value, isActive] of [
      ['true', true],
      ['0', false],
      ['1', true],
      [' False ', false],
    ] as const) {
      const change = activityOf(notification(topic, { [item]: value }, 'Changed'));
      expect(change).toEqual({ kind, source: `${topic} a=b`, isActive, isInitial: false });
    }
  });

  it('tells states of before, and rules that are gone', () => {
    const motion = (operation: OnvifNotification['operation']) =>
      activityOf(notification('VideoSource/MotionAlarm', { State: 'true' }, operation));
    expect([motion('Initialized'), motion('Deleted'), motion(null)]).toMatchObject([
      { isActive: true, isInitial: true },
      { isActive: false, isInitial: false },
      { isActive: true, isInitial: false },
    ]);
  });

  it.each<[string, Record<string, string>]>([
    ['Device/Logs', { State: 'true' }],
    ['VideoSource/MotionAlarm', {}],
    ['VideoSource/MotionAlarm', { State: 'perhaps' }],
    ['VideoSource/MotionAlarm', { Other: 'true' }],
  ])('is null for %s with %j', (topic, data) => {
    expect(activityOf(notification(topic, data, 'Changed'))).toBeNull();
  });
});

describe('readers of what cameras send', () => {
  const readers = [
    readNotifications,
    readSubscription,
    readOverlays,
    readProfiles,
    readUri,
    readServices,
    readCapabilities,
    readDeviceInformation,
    readSystemTimeMs,
  ];
  const piece = fc.constantFrom(
    ...[
      'Profiles',
      'Configurations',
      'VideoEncoder',
      'VideoSource',
      'Resolution',
      'Width',
      'Encoding',
      'Uri',
    ],
    'NotificationMessage',
    'Topic',
    'Message',
    'Data',
    'Source',
    'SimpleItem',
    'SubscriptionReference',
    ...[
      'Address',
      'ReferenceParameters',
      'Service',
      'Namespace',
      'XAddr',
      'Capabilities',
      'UTCDateTime',
      'Year',
    ],
  );
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('true', '1', '2026', 'http://h/', 'tns1:a/b', ':'.repeat(999)),
  );
  const element = (children: readonly string[], [name, value, inner]: readonly [string, string, string]) => {
    const attributes = `token="${escapeXml(value)}" Name="${escapeXml(inner)}" Value="${escapeXml(value)}" xmlns:p="x"`;
    return `<p:${name} ${attributes}>${escapeXml(inner)}${children.join('')}</p:${name}>`;
  };
  const parts = fc.tuple(piece, text, text);
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      parts.map((own) => element([], own)),
      fc
        .tuple(fc.array(tie('tree'), { maxLength: 4 }), parts)
        .map(([children, own]) => element(children, own)),
    ),
  }));

  it('never throw, and read within their limits', () => {
    fc.assert(
      fc.property(tree, (xml) => {
        let root: ReturnType<typeof parseXml>;
        try {
          root = parseXml(`<a>${xml}</a>`);
        } catch (thrown) {
          // Strings of fast-check contain characters that XML does not allow.
          expect(thrown).toBeInstanceOf(GatewayError);
          return;
        }
        for (const read of readers) read(root);
        for (const { topic, data } of readNotifications(root)) {
          expect(topic.length).toBeLessThanOrEqual(256);
          expect(data.size).toBeLessThanOrEqual(16);
        }
        for (const notice of readNotifications(root)) activityOf(notice);
        expect(readProfiles(root).length).toBeLessThanOrEqual(128);
      }),
      randomRuns(1_000),
    );
  });

  it('throw nothing but their own errors for broken envelopes', () => {
    const cut = fc.tuple(fc.nat({ max: TAPO.length }), fc.nat({ max: TAPO.length }), fc.string());
    fc.assert(
      fc.property(cut, ([from, length, put]) => {
        const xml = TAPO.slice(0, from) + put + TAPO.slice(from + length);
        for (const read of [(broken: string) => readNotifications(readSoapBody(broken)), readProbeMatches]) {
          try {
            read(xml);
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(GatewayError);
          }
        }
      }),
      randomRuns(1_000),
    );
  });
});
