import { describe, expect, it } from 'vitest';
import { parseHosts, parseSearchRules, searchedNames } from './host-files.ts';

describe('hosts(5)', () => {
  it('has all addresses of each name, in whatever case it is written', () => {
    const table = parseHosts(`127.0.0.1\tlocalhost
# 192.0.2.9 hidden
192.0.2.1  Gate.example gate # the gate
2001:db8::1 gate
not-an-address gate
192.0.2.2`);
    expect([...table]).toEqual([
      ['localhost', ['127.0.0.1']],
      ['gate.example', ['192.0.2.1']],
      ['gate', ['192.0.2.1', '2001:db8::1']],
    ]);
  });
});

describe('resolv.conf(5)', () => {
  it('lets the last search list count, and reads ndots', () => {
    const text = `nameserver 10.96.0.10
domain old.example
search cameras.svc.cluster.local. svc.cluster.local
options timeout:2 ndots:5`;
    expect(parseSearchRules(text)).toEqual({
      domains: ['cameras.svc.cluster.local', 'svc.cluster.local'],
      dots: 5,
    });
  });

  it.each([
    ['nothing', '', { domains: [], dots: 1 }],
    ['a domain', 'domain site.example', { domains: ['site.example'], dots: 1 }],
    ['nonsense', 'search\noptions ndots:many\noptions ndots:99', { domains: [], dots: 15 }],
  ])('accepts %s', (_, text, expected) => {
    expect(parseSearchRules(text)).toEqual(expected);
  });

  it('says which names to ask for, in order', () => {
    const rules = { domains: ['site.example', 'example'], dots: 2 };
    expect(searchedNames('gate', rules)).toEqual(['gate.site.example', 'gate.example', 'gate']);
    expect(searchedNames('a.b.c', rules)).toEqual(['a.b.c', 'a.b.c.site.example', 'a.b.c.example']);
    expect(searchedNames('gate.', rules)).toEqual(['gate']);
  });
});
