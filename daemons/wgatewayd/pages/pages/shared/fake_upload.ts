// Role: for tests of forms with code: uploads are answered as other questions are.

/** What was sent of a form of several parts, files by their names. */
export type Parts = Readonly<Record<string, string>>;

async function partsOf(body: FormData): Promise<Parts> {
  const pairs: [string, string][] = [];
  for (const [name, value] of body.entries())
    pairs.push([name, typeof value === 'string' ? value : value.name]);
  return Object.fromEntries(pairs);
}

/** In the place of a browser's upload; asks what fetch is put in place to answer. */
export class FakeUpload {
  static readonly sent: Parts[] = [];
  readonly upload: {onprogress?: (event: object) => void} = {};
  onload = () => {};
  onerror = () => {};
  status = 0;
  responseText = '';
  private readonly headers: Record<string, string> = {};
  private where: readonly [string, string] = ['', ''];

  open(method: string, path: string) {
    this.where = [method, path];
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value;
  }
  getResponseHeader(name: string) {
    return name === 'Content-Type' ? 'application/json' : null;
  }
  async send(body: FormData) {
    FakeUpload.sent.push(await partsOf(body));
    this.upload.onprogress?.({lengthComputable: true, loaded: 1, total: 2});
    const [method, path] = this.where;
    try {
      const answer = await fetch(path, {method, headers: this.headers});
      this.status = answer.status;
      this.responseText = await answer.text();
      this.onload();
    } catch {
      this.onerror();
    }
  }
}
Object.assign(globalThis, {XMLHttpRequest: FakeUpload});
