/** Alerting rules and the dashboard in deploy/ name metrics and labels that exist, and headings of the guide. */

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderMetricsReference } from '../../src/app/metrics/metrics.ts';
import { anchorsOf } from '../support/markdown.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
/** What Prometheus and the adapter of Kubernetes add to each series. */
const ADDED_LABELS = ['instance', 'job', 'namespace', 'pod'];

/** Labels by metric: ours, and those of the runtime. */
function knownMetrics(): ReadonlyMap<string, readonly string[]> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const ofRuntime = registry.getMetricsAsArray() as unknown as { name: string; labelNames: string[] }[];
  const known = new Map(ofRuntime.map(({ name, labelNames }) => [name, labelNames]));
  for (const [, name, type, cell] of renderMetricsReference().matchAll(
    /^\| `(\w+)` \| (\w+) \| ([^|]*) \|/gm,
  )) {
    const labels = [...cell!.matchAll(/`(\w+)`/g)].map(([, label]) => label!);
    if (type !== 'histogram') known.set(name!, labels);
    else for (const suffix of ['_bucket', '_sum', '_count']) known.set(name! + suffix, [...labels, 'le']);
  }
  return known;
}

const KNOWN = knownMetrics();

interface Expression {
  readonly metrics: readonly string[];
  /** Everywhere that labels stand: matchers, `by`, `on`. */
  readonly faults: readonly string[];
}

function readExpression(expr: string): Expression {
  const found = [...expr.matchAll(/\b((?:sluice|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)];
  const metrics = found.map(([, name]) => name!);
  const faults = metrics.filter((name) => !KNOWN.has(name));
  for (const [, name, matchers = ''] of found) {
    const labels = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label!);
    faults.push(
      ...labels.filter((label) => !labelsOf([name!]).includes(label)).map((label) => `${name}{${label}}`),
    );
  }
  for (const [, list] of expr.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)) {
    const labels = list!.split(',').map((label) => label.trim());
    faults.push(
      ...labels.filter((label) => !labelsOf(metrics).includes(label)).map((label) => `by (${label})`),
    );
  }
  return { metrics, faults };
}

function labelsOf(metrics: readonly string[]): string[] {
  return [...ADDED_LABELS, ...metrics.flatMap((name) => KNOWN.get(name) ?? [])];
}

describe('expressions', () => {
  it('are read: metrics, and labels that they do not have', () => {
    expect(readExpression('sum by (instance) (rate(sluice_viewers[5m]))')).toEqual({
      metrics: ['sluice_viewers'],
      faults: [],
    });
    expect(readExpression('sluice_mood{state="x"}').faults).toEqual(['sluice_mood', 'sluice_mood{state}']);
    expect(readExpression('sum by (state, mood) (sluice_cameras{camera=~"a"})').faults).toEqual([
      'sluice_cameras{camera}',
      'by (mood)',
    ]);
    expect(readExpression('sluice_service_delay_seconds_bucket{le="1"}').faults).toEqual([]);
    expect(readExpression('sluice_service_delay_seconds').faults).toEqual(['sluice_service_delay_seconds']);
  });
});

describe('alerts.yaml', () => {
  interface Rule {
    readonly alert: string;
    readonly expr: string;
    readonly labels: Record<string, string>;
    readonly annotations: Record<string, string>;
  }
  const rules: Rule[] = parse(read('deploy/prometheus/alerts.yaml')).groups.flatMap(
    (group: { rules: Rule[] }) => group.rules,
  );

  it('names metrics and labels that there are', () => {
    expect(rules.length).toBeGreaterThan(15);
    expect(rules.filter(({ expr }) => readExpression(expr).metrics.length === 0)).toEqual([]);
    expect(rules.flatMap(({ expr }) => readExpression(expr).faults)).toEqual([]);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  it('says for each rule what happened, and uses labels of its series', () => {
    for (const { alert, expr, labels, annotations } of rules) {
      expect(['warning', 'critical'], alert).toContain(labels.severity);
      const text = `${annotations.summary} ${annotations.description}`;
      expect(text, alert).not.toContain('undefined');
      const by = [...expr.matchAll(/\bby\s*\(([^)]*)\)/g)].map(([, list]) => list!.split(/,\s*/));
      const available = by.length > 0 ? by.flat() : labelsOf(readExpression(expr).metrics);
      const used = [...text.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label!);
      expect(
        used.filter((label) => !available.includes(label)),
        alert,
      ).toEqual([]);
    }
  });

  it('links each rule to a heading of the guide', () => {
    for (const { alert, annotations } of rules) {
      const [page = '', anchor = ''] = (annotations.runbook_url ?? '').split('#');
      expect(page, alert).toMatch(/^docs\/guide\/[\w-]+\.md$/);
      expect(existsSync(join(ROOT, page)), alert).toBe(true);
      expect(anchorsOf(read(page)), alert).toContain(anchor);
    }
  });
});

describe('the dashboard', () => {
  const { panels } = JSON.parse(read('deploy/grafana/sluice.json'));
  const targets: { expr: string; legendFormat: string }[] = panels.flatMap(
    (panel: { targets?: object[] }) => panel.targets ?? [],
  );

  it('names metrics and labels that there are', () => {
    expect(targets.length).toBeGreaterThan(30);
    expect(targets.flatMap(({ expr }) => readExpression(expr).faults)).toEqual([]);
    const legends = targets.flatMap(({ expr, legendFormat }) =>
      [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)]
        .map(([, label]) => label!)
        .filter((label) => !new RegExp(`by \\([^)]*\\b${label}\\b`).test(expr)),
    );
    expect(legends).toEqual([]);
  });
});

it('the autoscaler’s metric is made of one that there is', () => {
  const [rule] = parse(read('deploy/kubernetes/prometheus-adapter.yaml')).rules.custom;
  expect(readExpression(rule.seriesQuery)).toEqual({
    metrics: ['sluice_viewer_threads_busy_seconds_total'],
    faults: [],
  });
});
