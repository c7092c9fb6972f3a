"""Role: tests of fabric_model/noise.py against gradients whose mean and scatter are known."""

import unittest

import torch

from fabric_model.noise import SHARES, Noise

SIZE = 40


class Gradients:
    """A member's, or the whole step's, summed gradients."""

    def __init__(self, flat):
        self._flat = flat

    def square(self):
        return torch.dot(self._flat, self._flat).item()


def step(noise, number, shares, mean, spread, source):
    """One step: `shares` samples a member, gradients mean + spread·normal."""
    sums, whole = [0.0] * SHARES, torch.zeros(SIZE, dtype=torch.float64)
    for size in shares:
        drawn = torch.randn(size, SIZE, generator=source, dtype=torch.float64)
        own = (mean + spread * drawn).sum(dim=0)
        sums = [a + b for a, b in zip(sums, noise.share(number, Gradients(own), size))]
        whole += own
    noise.take(sums, Gradients(whole), sum(shares))


def measured(shares, mean=0.5, spread=3.0, steps=400):
    noise, source = Noise(SIZE), torch.Generator().manual_seed(1)
    for number in range(steps):
        step(noise, number, shares, torch.full((SIZE,), mean, dtype=torch.float64), spread, source)
    return noise


class NoiseTest(unittest.TestCase):
    def test_it_finds_the_gradient_and_the_scatter_that_the_samples_have(self):
        noise = measured([16, 16, 16])
        self.assertAlmostEqual(noise.grad_sqr, SIZE * 0.5 ** 2, delta=1.0)  # 10
        self.assertAlmostEqual(noise.grad_var, SIZE * 3.0 ** 2, delta=15.0)  # 360
        self.assertAlmostEqual(noise.scale(), 36.0, delta=6.0)

    def test_unequal_and_empty_shares_do_not_bend_it(self):
        for shares in ([3, 2, 2], [30, 30, 4], [8, 7, 0]):
            with self.subTest(shares):
                noise = measured(shares, spread=1.0)
                self.assertAlmostEqual(noise.grad_var, SIZE, delta=3.0)
                self.assertAlmostEqual(noise.grad_sqr, SIZE * 0.25, delta=1.5)

    def test_the_first_measured_step_already_counts_in_full(self):
        noise = measured([64, 64], steps=1)
        self.assertAlmostEqual(noise.grad_var, SIZE * 9.0, delta=150.0)

    def test_samples_that_agree_have_no_noise(self):
        noise = measured([4, 4], spread=0.0, steps=3)
        self.assertAlmostEqual(noise.scale(), 0.0, places=9)

    def test_one_member_alone_says_nothing(self):
        noise = measured([16])
        self.assertEqual(noise.scale(), -1.0)

    def test_only_noise_is_a_large_number_and_not_a_missing_one(self):
        noise = measured([2, 2], mean=0.0, steps=30)
        self.assertGreater(noise.scale(), 100.0)

    def test_a_large_model_is_not_looked_at_in_every_step(self):
        noise = Noise(1_000_000)
        looked = [noise.share(number, Gradients(torch.ones(4)), 2)[2] for number in range(22)]
        self.assertEqual(sum(looked), 2.0)


if __name__ == '__main__':
    unittest.main()
