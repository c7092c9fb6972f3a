// Role: one question before something is lost, for a page that has many such buttons.

import {signal, type Signal} from '@preact/signals';
import type {ComponentChildren} from 'preact';
import {Confirm} from './dialog.tsx';

interface Question {
  readonly title: ComponentChildren;
  readonly said: ComponentChildren;
  readonly verb: string;
  readonly act: () => void;
}

/** The question that is asked now. */
export class Asking {
  readonly now: Signal<Question | null> = signal(null);
  ask(question: Question) {
    this.now.value = question;
  }
}

export function Questions({asking}: {asking: Asking}) {
  const question = asking.now.value;
  const close = () => {
    asking.now.value = null;
  };
  return (
    <Confirm
      id="confirm"
      title={question?.title}
      open={question !== null}
      verb={question?.verb ?? ''}
      onCancel={close}
      onDo={() => {
        close();
        question?.act();
      }}
    >
      {question?.said}
    </Confirm>
  );
}
