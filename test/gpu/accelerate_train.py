"""Role: a training loop with Accelerate on a small GPT-2 of transformers, for scripts/gpu_acceptance. Prints "agreed: …"."""

import torch
from accelerate import Accelerator
from transformers import GPT2Config, GPT2LMHeadModel


def main():
    accelerator = Accelerator()
    model = GPT2LMHeadModel(GPT2Config(vocab_size=512, n_positions=64, n_embd=64, n_layer=2, n_head=2))
    words = torch.utils.data.DataLoader(torch.randint(0, 500, (32, 64)), 4)
    model, optimizer, words = accelerator.prepare(model, torch.optim.AdamW(model.parameters()), words)
    for batch in words:
        optimizer.zero_grad()
        accelerator.backward(model(input_ids=batch, labels=batch).loss)
        optimizer.step()
    accelerator.wait_for_everyone()
    print(f'agreed: rank {accelerator.process_index} of {accelerator.num_processes} on {accelerator.device}, '
          f'by accelerate', flush=True)
    accelerator.end_training()


if __name__ == '__main__':
    main()
