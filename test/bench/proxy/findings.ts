// Ratios of one run, and how they compare with the aims. Each ratio is between two servers that took turns in the same
// round, so that a slow minute of the machine changes both.
import { median, number, spread, table } from '../table.ts';
import type { Lab, Rate } from './lab.ts';

export interface Finding {
  row: string;
  aim: string;
  /** The ratios of all rounds, or other figures in `unit`. */
  values: number[];
  unit: string;
  isReached: boolean;
}

export interface Measured {
  text: string;
  findings: Finding[];
}

export interface Row {
  title: string;
  measure(lab: Lab): Promise<Measured>;
}

export function ratios(of: readonly number[], to: readonly number[]): number[] {
  return of.map((value, round) => value / (to[round] ?? NaN));
}

/** One figure of each round. */
export function figures<Name extends string>(rounds: readonly Record<Name, number>[] = [], name: Name): number[] {
  return rounds.map((round) => round[name]);
}

export function atMost(row: string, limit: number, values: number[], unit = '×'): Finding {
  return { row, aim: `≤ ${limit} ${unit}`, values, unit, isReached: median(values) <= limit };
}

export function atLeast(row: string, limit: number, values: number[], unit = '×'): Finding {
  return { row, aim: `≥ ${limit} ${unit}`, values, unit, isReached: median(values) >= limit };
}

export function findingsTable(findings: readonly Finding[]): string {
  const rows = findings.map(({ row, aim, values, unit, isReached }) => {
    const measured = `${spread(values, digitsOf(values))} ${unit}`;
    return [row, aim, measured, isReached ? 'reached' : 'missed'];
  });
  return table(['row', 'aim', 'measured', ''], rows);
}

/** Rates with their processor time, and each one's ratio to one of them. */
export function ratesTable(what: string, measured: Record<string, Rate[]>, to: string): string {
  const base = figures(measured[to], 'perSecond');
  const rows = Object.entries(measured).map(([name, rates]) => {
    const perSecond = figures(rates, 'perSecond');
    return [
      name,
      spread(perSecond),
      `${number(median(ratios(perSecond, base)), 3)} ×`,
      spread(figures(rates, 'cpuMicroseconds')),
      spread(figures(rates, 'p50Ms'), 2),
      `${number(median(figures(rates, 'loadShare')) * 100)} %`,
    ];
  });
  return table([what, 'a second', `to ${to}`, 'CPU µs each', 'p50 ms', 'load busy'], rows);
}

function digitsOf(values: readonly number[]): number {
  const middle = Math.abs(median(values));
  return middle < 1 ? 3 : middle < 100 ? 2 : 0;
}
