// Role: an event stream as bytes come: lines to events. Pure. @source WHATWG HTML, server-sent
// events

export interface Event {
  readonly name: string;
  readonly data: string;
  readonly id: string;
}

/** Reads pieces of text, gives the events that are whole. Keeps the rest, and the last id. */
export class EventReader {
  private held = '';
  private name = '';
  private data: string[] = [];
  lastId = '';

  take(text: string): Event[] {
    this.held += text;
    const lines = this.held.split(/\r\n|\n|\r(?!$)/);
    this.held = lines.pop() ?? '';
    return lines.flatMap((line) => this.line(line));
  }

  private line(line: string): Event[] {
    if (line !== '') {
      this.field(line);
      return [];
    }
    const whole = {name: this.name || 'message', data: this.data.join('\n'), id: this.lastId};
    const empty = this.data.length === 0;
    this.name = '';
    this.data = [];
    return empty ? [] : [whole];
  }

  private field(line: string) {
    const [field = '', ...rest] = line.split(':');
    const value = rest.join(':').replace(/^ /, '');
    if (field === 'event') this.name = value;
    else if (field === 'data') this.data.push(value);
    else if (field === 'id') this.lastId = value;
  }
}
