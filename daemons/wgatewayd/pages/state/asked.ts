// Role: what a page asked the server for: the value that came last, why none came, and asking
// again, the newest answer alone. Old values stay while a new one is on its way, and where it
// fails.

import {signal} from '@preact/signals';
import {useEffect, useState} from 'preact/hooks';
import {asRefused, type Refused} from '../api/problem.ts';
import {newest, paced} from '../base/limiter.ts';
import {onChange} from '../live/port.ts';
import {standing} from './session.ts';

export class Asked<T> {
  readonly value = signal<T | null>(null);
  /** Of the last time; null: it was answered. */
  readonly failure = signal<Refused | null>(null);
  private readonly ask: () => Promise<T | null>;

  constructor(load: () => Promise<T>) {
    this.ask = newest(load);
  }
  async refresh(): Promise<void> {
    try {
      const value = await this.ask();
      if (value === null) return;
      this.value.value = value;
      this.failure.value = null;
    } catch (problem) {
      const refused = asRefused(problem);
      if (refused.status !== 401) this.failure.value = refused;
    }
  }
}

/** What a page asks for while it is open. */
export interface Pace {
  /** Again, when jobs changed, at most once in so many ms. */
  readonly onJobs?: number;
  /** Again, every so many ms while the tab is seen. */
  readonly every?: number;
}

/** Asks while a component is there. @returns how to end it */
export function keepAsking(asked: {refresh(): Promise<void>}, pace: Pace = {}): () => void {
  void asked.refresh();
  const ends: (() => void)[] = [];
  if (pace.onJobs !== undefined)
    ends.push(onChange(paced(() => void asked.refresh(), pace.onJobs)));
  if (pace.every !== undefined) {
    const again = () => !document.hidden && standing.peek() === 'on' && void asked.refresh();
    const timer = setInterval(again, pace.every);
    ends.push(() => clearInterval(timer));
  }
  return () => {
    for (const end of ends) end();
  };
}

/** One value for a component's life. */
export function useOnce<T>(make: () => T): T {
  return useState(make)[0];
}

/** Something to ask for, asked while the component is there. */
export function useAsked<T>(load: () => Promise<T>, pace: Pace = {}): Asked<T> {
  const asked = useOnce(() => new Asked(load));
  useEffect(() => keepAsking(asked, pace), []);
  return asked;
}
