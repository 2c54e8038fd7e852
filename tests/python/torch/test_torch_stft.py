"""torch.stft and torch.istft are PyTorch's, with their gradients."""

from torch_oracle import compare_all

MAKE = "x = torch.linspace(-2, 2, 60, dtype=torch.float64).square().mul(5).sin().reshape(2, 30).requires_grad_()\n"
MAKE += "w = torch.hann_window(8, dtype=torch.float64)\n"
GRADIENT = "\n[made, torch.autograd.grad(made.abs().square().mul(torch.arange(made.numel()).reshape(made.shape)).sum(), x)[0]]"


def test_transforms_of_frames():
    calls = """x,8,window=w|x,8|x[0],8,3,window=w|x,8,2,6,window=w[1:7]|x,8,window=w,center=False|x,8,window=w,normalized=True
        x,8,window=w,onesided=False|x,8,pad_mode='constant',window=w|x,7,3|x,8,9,window=w|x,30,center=False"""
    texts = [MAKE + f"made = torch.stft({call}, return_complex=True){GRADIENT}" for line in calls.split("\n") for call in line.strip().split("|")]
    texts += [
        MAKE + "torch.stft(x, 8, window=w, return_complex=False)",
        MAKE + "torch.stft(x.to(torch.complex128), 8, window=w)",
        MAKE + "torch.stft(x.detach().float(), 8, window=w.float(), return_complex=True)",
        MAKE + "x.stft(8, window=w, return_complex=True)",
        MAKE + "raises(lambda: torch.stft(x, 8, window=w))",
    ]
    compare_all(texts)


def test_inverse_transforms():
    calls = """8,window=w|8,2,window=w|8,3,window=w,length=30|8,window=w,normalized=True|8,window=w,onesided=False|8|7,2"""
    texts = []
    for call in calls.split("|"):
        forward = call.replace(",length=30", "")
        back = f"made = torch.istft(torch.stft(x, {forward}, return_complex=True), {call.replace('onesided=False', 'onesided=False')})"
        texts.append(MAKE + back + GRADIENT)
    spectra = MAKE + "s = torch.stft(x.detach(), 8, window=w, return_complex=True)\n"
    texts += [
        spectra + "torch.istft(s * 2j, 8, window=w)",
        spectra + "torch.istft(s[0], 8, window=w, length=20)",
        spectra + "s.istft(8, window=w)",
        spectra + "torch.istft(s, 8, window=w, length=40).shape",
        spectra + "raises(lambda: torch.istft(s, 8, window=w, center=False))[0]",
        spectra + "raises(lambda: torch.istft(s, 9, window=w))[0]",
    ]
    compare_all(texts)
