// Role: a page that fails while it is drawn says so in its place; the rest stays.

import {Component, type ComponentChildren} from 'preact';
import {clean} from '../base/text.ts';

interface GuardProps {
  readonly children: ComponentChildren;
}
interface GuardState {
  readonly failed: string | null;
}

export class Guard extends Component<GuardProps, GuardState> {
  override state: GuardState = {failed: null};
  override componentDidCatch(problem: unknown) {
    console.error(problem);
    this.setState({failed: problem instanceof Error ? problem.message : String(problem)});
  }
  override render() {
    if (this.state.failed === null) return this.props.children;
    return (
      <>
        <h1>This page cannot be shown</h1>
        <p class="note err" role="alert">
          What the server sent was not understood: {clean(this.state.failed, 300)}.{' '}
          <button type="button" class="btn" onClick={() => this.setState({failed: null})}>
            Try again
          </button>
        </p>
      </>
    );
  }
}
